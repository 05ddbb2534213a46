import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after } from 'node:test';
import pg from 'pg';
import { serverUrl } from './database.ts';

/** Names of the rows in a test: `user_account:12` is `Ann`. */
export type RowNames = Map<string, string>;

/** Ids begin here, so that each number of nine digits in any text is the id of exactly one row. */
const FIRST_ID = 700_000_000;
const IDS_PER_TABLE = 1_000_000;
const HOUR = 3_600_000;

/** Gives the new rows of each table ids that no other table has, in every table and in the queue. */
export async function spreadIds({ url }: { url: string }): Promise<void> {
  const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
  await owner.connect();
  await owner.query(
    `select setval(s.name, $1 + $2 * row_number() over (order by s.name))
       from (select format('%I.%I', schemaname, sequencename) as name from pg_sequences
              where schemaname in ('public', 'graphile_worker')) s`,
    [FIRST_ID, IDS_PER_TABLE],
  );
  await owner.end();
}

/** Writes values so that they are the same in every run: ids as names, and neither times nor secrets. */
export interface ValueWords {
  (value: unknown): string;
  /** Numbers a row of a table, in the order in which rows are first named. Rows that are not named before are called `row 1`. */
  nameRow(table: string, id: unknown): void;
}

const YEAR = 365 * 24 * HOUR;
/** For example `December 4, 2026`, as mails write it: one that is far from now was set by a test. */
const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December';
const WRITTEN_DAY = new RegExp(`(?:\\b[A-Z][a-z]+day, )?\\b(?:${MONTHS}) \\d{1,2}, 20\\d\\d\\b`, 'g');

/**
 * @param exact times and days before these are written as they are, because the test has set them. The others depend on the time of
 * the run.
 */
export function valueWords(names: RowNames, exact: { timesBefore: Date; daysBefore: string }): ValueWords {
  const started = Date.now();
  const byId = new Map([...names].map(([key, name]) => [key.split(':')[1] ?? '', name]));
  const counts = new Map<string, number>();
  const time = (text: string) => {
    const at = new Date(/[Z+]/.test(text.slice(10)) ? text : `${text}Z`).getTime();
    if (at < exact.timesBefore.getTime()) return text;
    if (Math.abs(at - started) < HOUR) return 'NOW';
    return at < started ? 'EARLIER' : 'LATER';
  };
  const writtenDay = (day: string) => {
    const at = new Date(`${day} UTC`);
    return at.toISOString() >= exact.daysBefore && Math.abs(at.getTime() - started) < YEAR ? 'DAY' : day;
  };
  const write = (value: unknown) =>
    (typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(sorted(value)))
      .replaceAll(/\\\\x[0-9a-f]*/g, 'BYTES')
      .replaceAll(/\{"type":"Buffer","data":\[[\d,]*\]\}/g, 'BYTES')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
      .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|[+-]\d\d(:?\d\d)?)?/g, time)
      .replaceAll(/\b20[0-3]\d-\d\d-\d\d\b/g, (day) => (day < exact.daysBefore ? day : 'DAY'))
      .replaceAll(WRITTEN_DAY, writtenDay)
      .replaceAll(/\$argon2id\$[^"]+/g, 'HASH')
      .replaceAll(/(?<=:)\d{13}(?=:)/g, 'TIME')
      .replaceAll(/(?<=[=/"])[\w-]{40,}={0,2}(?=["&])/g, 'TOKEN')
      .replaceAll(/(?<="csrf_token":")[^"]+/g, 'TOKEN')
      .replaceAll(/(?<="code":")\d{6}(?=")/g, 'CODE')
      .replaceAll(/(?<!\d)7\d{8}(?!\d)/g, (id) => {
        if (!byId.has(id)) words.nameRow('row', id);
        return byId.get(id) ?? '';
      });
  const words: ValueWords = Object.assign(write, {
    nameRow(table: string, id: unknown) {
      if (byId.has(String(id))) return;
      counts.set(table, (counts.get(table) ?? 0) + 1);
      byId.set(String(id), `${table} ${counts.get(table)}`);
    },
  });
  return words;
}

const sorted = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, one]) => [key, sorted(one)]),
      )
    : value;

interface Statement {
  text: string;
  values?: unknown[];
}

/** A lock that a statement takes, with its values if they name the lock. */
interface Lock {
  name: string;
  values?: unknown[] | undefined;
}

export const writeLocks = (locks: Lock[], words: ValueWords) =>
  locks.map(({ name, values }) => (values === undefined ? `lock ${name}` : `lock ${name} ${words(values)}`));

/** Lists the locks that the statements of a pool take. The locks of rows that they change are not among them. */
export function watchLocks(pool: pg.Pool) {
  let taken: Lock[] | null = null;
  const watched = new WeakSet<pg.PoolClient>();
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    const send = client.query.bind(client) as (...given: unknown[]) => unknown;
    const query = (...given: unknown[]) => {
      const statement = given[0] as Statement;
      if (taken !== null && typeof statement === 'object') taken.push(...locksOf(statement));
      return send(...given);
    };
    client.query = query as typeof client.query;
  });
  return {
    async during<Result>(work: () => Promise<Result>): Promise<{ changed: Result; taken: Lock[] }> {
      const list: Lock[] = [];
      taken = list;
      try {
        return { changed: await work(), taken: list };
      } finally {
        taken = null;
      }
    },
  };
}

const LOCK = 'for (?:no key update|update|key share|share)(?: of \\w+)?(?: skip locked)?';
/** The condition from the last table on, and the lock. */
const ROW_LOCK = new RegExp(
  `\\b(?:from|update) (\\w+)(?:(?!\\b(?:from|update) \\w)[\\s\\S])*?\\b((?:order by [\\w., ]+?\\s+)?(?:limit \\$\\d+\\s+)?${LOCK})`,
  'g',
);

function locksOf({ text, values }: Statement): Lock[] {
  const rows = [...text.matchAll(ROW_LOCK)].map(([clause, table, lock]) => {
    const count = (sign: string) => clause.split(sign).length;
    // After a subquery, the clause begins within it.
    const name = count('(') === count(')') ? clause.replace(/^\w+ /, '') : `${table} ${lock}`;
    return { name: name.replaceAll(/\s+/g, ' ').replaceAll(/\$\d+/g, '$') };
  });
  const advisory = [...text.matchAll(/\bpg_\w*advisory\w*/g)].map(([name]) => ({ name, values }));
  return [...rows, ...advisory];
}

/**
 * Compares lines with a section of a committed file, which UPDATE_VALUES=1 rewrites. Sections that no test compares are removed
 * then.
 */
export function committedLines(file: URL): (title: string, lines: string[]) => void {
  const isUpdated = process.env.UPDATE_VALUES !== undefined;
  const sections = new Map<string, string>();
  if (!isUpdated)
    for (const part of readFileSync(file, 'utf8').split(/^## /m).slice(1)) {
      const [title = '', ...lines] = part.trimEnd().split('\n');
      sections.set(title, lines.join('\n'));
    }
  if (isUpdated)
    after(() => {
      const text = [...sections].map(([title, lines]) => `## ${title}\n${lines}`.trimEnd()).join('\n\n');
      writeFileSync(file, `# Made by UPDATE_VALUES=1 npm test -- the test beside it.\n\n${text}\n`);
    });
  return (title, lines) => {
    const text = lines.join('\n');
    if (isUpdated) sections.set(title, text);
    assert.deepEqual(text.split('\n'), (sections.get(title) ?? '').split('\n'), `${title} (UPDATE_VALUES=1 rewrites the list)`);
  };
}
