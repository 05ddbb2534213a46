import { numberWords } from '@case-platform/words/counts';
import { CONNECTIONS, type Comparison, type Figures } from './compare.ts';
import type { Machine } from './machine.ts';
import { ATTACHMENTS_TARGET, type AttachmentFigures } from './measure-attachments.ts';
import type { CallFigures } from './measure-case-page.ts';
import { GROWTH_TARGET, type Growth, LARGE, SMALL } from './measure-growth.ts';
import { type PushFigures, SUBSCRIPTIONS } from './measure-push.ts';
import type { SignInFigures } from './measure-sign-in.ts';
import { SLOWED, WEB_TARGETS, type WebFigures } from './measure-web.ts';
import { MEMORY_TARGETS, type MemoryReading } from './memory/measure-memory.ts';
import type { Options } from './options.ts';

/** Resident bytes of each process: after its first request, and after the load. */
export type Memory = Record<string, { idle?: number; loaded?: number }>;

export interface Report {
  machine: Machine;
  options: Options;
  connections: number;
  comparisons: Comparison[];
  signIn: SignInFigures | undefined;
  growth: Growth[];
  attachments: AttachmentFigures | undefined;
  push: PushFigures | undefined;
  web: WebFigures | undefined;
  casePage: CallFigures[];
  money: CallFigures[];
  memory: Memory;
}

const HEADINGS = ['', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs', 'share of the floor', 'by CPU', ''];

export function printReport({
  machine,
  options,
  comparisons,
  signIn,
  growth,
  attachments,
  push,
  web,
  casePage,
  money,
  memory,
}: Report): void {
  const { node, postgres, cpu, cores } = machine;
  const { messages, rounds, seconds } = options;
  console.log(`\nNode.js ${node}, PostgreSQL ${postgres}, ${cpu}, ${cores} cores`);
  console.log(
    `${numberWords(messages)} messages, ${CONNECTIONS} connections at full load, ` +
      `median of ${rounds} rounds of ${seconds} s a side, taken in turns\n`,
  );
  printTable([HEADINGS, ...comparisons.flatMap(rowsOf)]);
  console.log('\nreq/s: the machine also runs the load and the database. CPU µs: of the server process, a request.');
  console.log('floor: bare Fastify and pg; same token check, same statements, same JSON.');
  const stale = comparisons.filter((comparison) => !comparison.same_answer);
  for (const { label } of stale) console.log(`${label}: the floor answers otherwise; adapt bench/floor-shapes.ts`);
  if (signIn !== undefined) printSignIn(signIn);
  if (growth.length > 0) printGrowth(growth);
  if (attachments !== undefined) printAttachments(attachments);
  if (push !== undefined) printPush(push);
  if (web !== undefined) printWeb(web);
  if (casePage.length > 0) printCalls('pages of the staff application', casePage);
  if (money.length > 0) printCalls('where the money is', money);
  console.log('');
  const mebibytes = (bytes?: number) => (bytes === undefined ? '' : (bytes / 2 ** 20).toFixed(0));
  const rows = Object.entries(memory).map(([name, { idle, loaded }]) => [name, mebibytes(idle), mebibytes(loaded)]);
  printTable([['memory, MiB', 'idle', 'after the load'], ...rows]);
}

function printSignIn(figures: SignInFigures): void {
  const { logins_per_second, bare_argon2id_per_second, ratio, known_ms, unknown_ms, unread_p99_ms } = figures;
  const met = (isMet: boolean) => (isMet ? 'target met' : 'target missed');
  console.log('');
  printTable([
    ['sign-in', '', '', '', '', '', '', ''],
    ['logins a second', logins_per_second.toFixed(1)],
    ['bare argon2id a second', bare_argon2id_per_second.toFixed(1)],
    ['share of bare argon2id', ratio.toFixed(2), `${met(ratio >= 0.85)} (0.85)`],
    ['wrong password, account known, ms', known_ms.toFixed(1)],
    ['wrong password, account unknown, ms', unknown_ms.toFixed(1)],
    [
      'their ratio',
      (known_ms / unknown_ms).toFixed(3),
      `${met(Math.abs(known_ms / unknown_ms - 1) <= 0.1)} (within 10%)`,
    ],
    ['unread p99 during 100 logins, ms', unread_p99_ms.toFixed(0), `${met(unread_p99_ms < 500)} (500)`],
  ]);
}

function printGrowth(growth: Growth[]): void {
  const size = (messages: number) => `${numberWords(messages)} messages, p50 ms`;
  console.log('');
  printTable([
    ['a platform that has grown', size(SMALL), size(LARGE), 'p99 ms there', 'cost of a request', '', '', ''],
    ...growth.map(({ label, small, large, cost }) => [
      label,
      small.p50_ms.toFixed(2),
      large.p50_ms.toFixed(2),
      large.p99_ms.toFixed(2),
      `${cost.toFixed(2)} times`,
      '',
      '',
      cost <= GROWTH_TARGET ? `target met (${GROWTH_TARGET})` : `target missed (${GROWTH_TARGET})`,
    ]),
  ]);
}

function printAttachments({ first, another, ten }: AttachmentFigures): void {
  const row = (label: string, bytes: number) => {
    const verdict = bytes <= ATTACHMENTS_TARGET ? 'target met' : 'target missed';
    return [label, `${(bytes / 2 ** 20).toFixed(0)} MiB`, `${verdict} (${ATTACHMENTS_TARGET / 2 ** 20})`];
  };
  console.log('');
  printTable([
    ['memory that attachments of 25 MiB add to the API', '', ''],
    row('the first', first),
    row('another one', another),
    row('ten at once', ten),
  ]);
}

function printPush({ p50_ms, p99_ms, deliveries_per_second, thousand_ms, cpu_us }: PushFigures): void {
  console.log('');
  printTable([
    ['browser push', ''],
    ['from the 201 of a message to the push service, p50 ms', p50_ms.toFixed(1)],
    ['the same, p99 ms', p99_ms.toFixed(1)],
    ['pushes a second of one worker, the mails of the same messages beside', deliveries_per_second.toFixed(0)],
    [`from the 201 until the last of ${numberWords(SUBSCRIPTIONS)} devices, s`, (thousand_ms / 1000).toFixed(2)],
    ['CPU of the worker for one of these, ms', (cpu_us / 1000).toFixed(2)],
  ]);
}

function printCalls(heading: string, calls: CallFigures[]): void {
  const ms = (value: number) => value.toFixed(1);
  const rows = calls.map(({ label, requests_per_second, p50_ms, p95_ms, p99_ms, target }) => {
    const verdict = target === null ? '' : `${p95_ms < target ? 'target met' : 'target missed'} (p95 ${target})`;
    return [label, requests_per_second.toFixed(0), ms(p50_ms), ms(p95_ms), ms(p99_ms), '', '', verdict];
  });
  console.log('');
  printTable([[heading, 'a second', 'p50 ms', 'p95 ms', 'p99 ms', '', '', ''], ...rows]);
}

function printWeb({ pages, slowest, pass_on }: WebFigures): void {
  const row = (label: string, value: number, target: number, [unit, digits]: [string, number]) => {
    const verdict = value <= target ? 'target met' : 'target missed';
    return [label, `${value.toFixed(digits)} ${unit}`.trim(), `${verdict} (${target} ${unit})`.replace(' )', ')')];
  };
  const added = pass_on.web_p50_ms - pass_on.api_p50_ms;
  console.log('');
  printTable([
    [`web pages on a phone, processor slowed ${SLOWED} times, nothing cached`, '', ''],
    ...pages.flatMap(({ label, lcp_ms, cls, js_bytes }) => [
      row(`${label}, largest contentful paint`, lcp_ms, WEB_TARGETS.lcp_ms, ['ms', 0]),
      row(`${label}, layout shift`, cls, WEB_TARGETS.cls, ['', 3]),
      row(`${label}, JavaScript compressed`, js_bytes / 1024, WEB_TARGETS.js_bytes / 1024, ['KiB', 0]),
    ]),
    row(`slowest interaction to next paint: ${slowest.name}`, slowest.inp_ms, WEB_TARGETS.inp_ms, ['ms', 0]),
    ['a call to the API itself, p50', `${pass_on.api_p50_ms.toFixed(2)} ms`, ''],
    ['the same through the web server, p50', `${pass_on.web_p50_ms.toFixed(2)} ms`, ''],
    row('what the web server adds', added, WEB_TARGETS.pass_on_ms, ['ms', 2]),
  ]);
}

function rowsOf({ label, api, floor, ratio, cpu_ratio, target }: Comparison): string[][] {
  if (floor === null || ratio === null || cpu_ratio === null) return [[label, ...cells(api), '', '', '']];
  const met = target === null || ratio >= target;
  const verdict = target === null ? '' : `${met ? 'target met' : 'target missed'} (${target.toFixed(2)})`;
  return [
    [label, ...cells(api), ratio.toFixed(2), cpu_ratio.toFixed(2), verdict],
    ['  floor', ...cells(floor), '', '', ''],
  ];
}

function cells({ requests_per_second, p50_ms, p99_ms, cpu_us }: Figures): string[] {
  return [requests_per_second.toFixed(0), p50_ms.toFixed(2), p99_ms.toFixed(2), cpu_us.toFixed(0)];
}

/** What the processes of `npm start` hold: a line a kind of process, a column a reading. */
export function printMemory(readings: MemoryReading[]): void {
  const [last] = readings.slice(-1);
  if (last === undefined) return;
  const row = (label: string, bytesOf: (reading: MemoryReading) => number, target?: number) => {
    const verdict = bytesOf(last) <= (target ?? 0) ? 'target met' : 'target missed';
    const cells = readings.map((reading) => (bytesOf(reading) / 2 ** 20).toFixed(0));
    return [label, ...cells, target === undefined ? '' : `${verdict} (${target / 2 ** 20})`];
  };
  const sum = (size: 'rss' | 'pss') => (reading: MemoryReading) =>
    Object.values(reading.kinds).reduce((total, kind) => total + kind[size], 0);
  const kinds = Object.entries(last.kinds).map(([kind, { count }]) => {
    const label = count === 1 ? kind : `${kind}, ${count} processes`;
    return row(label, ({ kinds }) => kinds[kind]?.rss ?? 0, kind === 'api' ? MEMORY_TARGETS.api : undefined);
  });
  const heading = ({ requests, isRested }: MemoryReading) => (isRested ? 'at rest' : numberWords(requests));
  console.log('');
  printTable(
    [
      ['npm start, resident MiB after so many requests', ...readings.map(heading), ''],
      ...kinds,
      row('together', sum('rss')),
      row('together, what is shared counted once', sum('pss'), MEMORY_TARGETS.platform),
    ],
    readings.length + 1,
  );
}

/** The first and last columns to the left, the others to the right. */
function printTable(rows: string[][], last = HEADINGS.length - 1): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const padded = row.map((cell, at) => {
      const words = at === 0 || at === last;
      return words ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
    });
    console.log(padded.join('  ').trimEnd());
  }
}
