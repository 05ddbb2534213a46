import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTokenKeys, issueTokens, type TokenKeys, type User } from '@case-platform/modules/accounts';
import pLimit from 'p-limit';
import pg from 'pg';
import type { Process } from './processes.ts';

/** The figures for one number of open streams. */
export interface LiveFigures {
  streams: number;
  /** Until all streams had caught up. */
  open_seconds: number;
  /** Growth of the process's resident memory for each stream. */
  kb_a_stream: number;
  /** Messages that arrived on streams, and those that should have. */
  delivered: number;
  expected: number;
  /** From the commit of a message until it is on a stream. */
  p50_ms: number;
  p99_ms: number;
  /** CPU time of the API's process during a second of events, in percent of one core. */
  cpu_percent: number;
}

interface LiveOptions {
  api: Process;
  url: string;
  jwtSecret: string;
  /** How long events are sent. */
  seconds: number;
}

type Reader = User & { chains: number };
interface Sent {
  committedAt: number;
  latencies: number[];
}

const EVENTS_A_SECOND = 100;
const STREAMS_A_PERSON = 8;
/** Streams that are being opened at the same time. */
const OPENING = 100;
/** Events that have not arrived this long after the last one was sent are missing. */
const PATIENCE_MS = 60_000;

/** Opens this many streams to one API process, of as many people as possible, and sends 100 messages a second. */
export async function measureLive(streams: number, { api, url, jwtSecret, seconds }: LiveOptions): Promise<LiveFigures> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const keys = createTokenKeys({ secret: jwtSecret, accessTokenTtl: 3600, refreshTokenTtl: 3600 });
  const sent = new Map<number, Sent>();
  const readers = await listReaders(client, streams);
  const before = await api.ask<number>('memory');
  const start = performance.now();
  const open = await openStreams({ api, keys, readers, streams }, (number) => {
    const message = sent.get(number);
    message?.latencies.push(performance.now() - message.committedAt);
  });
  const openSeconds = (performance.now() - start) / 1000;
  const kilobytes = ((await api.ask<number>('memory')) - before) / 1024;
  try {
    const cpu = await api.ask<number>('usage');
    const expected = await sendMessages({ client, sent, streamsOf: open.streamsOf, count: EVENTS_A_SECOND * seconds });
    const delivered = () => [...sent.values()].reduce((sum, { latencies }) => sum + latencies.length, 0);
    const giveUpAt = performance.now() + PATIENCE_MS;
    while (delivered() < expected && performance.now() < giveUpAt) await sleep(50);
    const usage = (await api.ask<number>('usage')) - cpu;
    const sorted = [...sent.values()].flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
    return {
      streams,
      open_seconds: openSeconds,
      kb_a_stream: kilobytes / streams,
      delivered: delivered(),
      expected,
      p50_ms: at(0.5),
      p99_ms: at(0.99),
      cpu_percent: usage / 10_000 / seconds,
    };
  } finally {
    for (const socket of open.sockets) socket.destroy();
    await client.end();
  }
}

/** @throws {Error} if the database has too few people. */
async function listReaders(client: pg.Client, streams: number): Promise<Reader[]> {
  const { rows } = await client.query<Reader>(
    `select u.id::int, u.user_type, u.email_address, u.first_name, u.last_name, u.agency_id::int, u.admin_role_id::int
       from user_account u
      where u.status = 'active' and u.email_address like 'bench-%' order by u.id limit $1`,
    [streams],
  );
  if (rows.length * STREAMS_A_PERSON >= streams) return rows;
  throw new Error(`${streams} streams need more people: increase --messages.`);
}

interface Opening {
  api: Process;
  keys: TokenKeys;
  readers: Reader[];
  streams: number;
}

async function openStreams({ api, keys, readers, streams }: Opening, onMessage: (number: number) => void) {
  const tokens = await Promise.all(
    readers.map(async (reader) => [reader, (await issueTokens(keys, reader, new Date())).access_token] as const),
  );
  const streamsOf = new Map<number, number>();
  const limit = pLimit(OPENING);
  const sockets = await Promise.all(
    Array.from({ length: streams }, (_, n) => {
      const [{ id }, token] = tokens[n % tokens.length] as [Reader, string];
      streamsOf.set(id, (streamsOf.get(id) ?? 0) + 1);
      return limit(() => openStream(api.baseUrl, token, onMessage));
    }),
  );
  return { sockets, streamsOf };
}

/** Opens a stream with as little work as possible, because the load shares the machine with what it measures. */
async function openStream(baseUrl: string, token: string, onMessage: (number: number) => void): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const isOpen = await new Promise<boolean>((resolve) => {
      let rest = '';
      socket.on('error', () => resolve(false));
      socket.on('close', () => resolve(false));
      socket.on('data', (data) => {
        const text = rest + data.toString('latin1');
        if (text.startsWith('HTTP/1.1 503')) return void socket.destroy();
        if (text.includes('event: unread')) resolve(true);
        const ends = text.lastIndexOf('\n\n');
        for (const [, number] of text.slice(0, ends + 1).matchAll(/"live-(\d+)"/g)) onMessage(Number(number));
        rest = text.slice(ends + 1).trimStart();
      });
      socket.write(`GET /api/messages/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    });
    if (isOpen) return socket;
    socket.destroy();
    await sleep(200 + Math.random() * 800);
  }
}

interface Sending {
  client: pg.Client;
  sent: Map<number, Sent>;
  /** The open streams of each person. */
  streamsOf: ReadonlyMap<number, number>;
  count: number;
}

interface Chain {
  id: number;
  parent_id: number;
  surrogate_id: number;
  admin_id: number;
}

/**
 * Writes messages as the platform does, without its requests, whose cost is measured elsewhere.
 * @returns how many times they should arrive.
 */
async function sendMessages({ client, sent, streamsOf, count }: Sending): Promise<number> {
  const { rows: chains } = await client.query<Chain>(
    `select c.id::int, p.user_id::int as parent_id, s.user_id::int as surrogate_id, c.assigned_admin_id::int as admin_id
       from message_chain c
       join message_chain_group p on p.chain_id = c.id
       join message_chain_group s on s.chain_id = c.id and s.user_id > p.user_id
      where p.user_id = any($1) or s.user_id = any($1) order by md5(c.id::text) limit $2`,
    [[...streamsOf.keys()], count],
  );
  let expected = 0;
  const start = performance.now();
  for (let n = 0; n < count; n += 1) {
    await sleep(Math.max(0, start + (n * 1000) / EVENTS_A_SECOND - performance.now()));
    const { id, parent_id, surrogate_id, admin_id } = chains[n % chains.length] as Chain;
    for (const person of [parent_id, surrogate_id, admin_id]) expected += streamsOf.get(person) ?? 0;
    const number = Math.round(Math.random() * 1e12);
    const message: Sent = { committedAt: performance.now(), latencies: [] };
    sent.set(number, message);
    await client.query(
      `with message as (
         insert into message (chain_id, from_id, from_type, to_id, to_type, to_admin, message, search, search_version)
         values ($1, $2, 'ip', $3, 'surrogate', true, $4, to_tsvector('simple', $4), 2) returning id),
       recipient as (insert into message_recipient (message_id, user_id, chain_id) select id, $3, $1 from message)
       insert into outbox (event)
       select jsonb_build_object('kind', 'message', 'chain_id', $1::bigint, 'message_id', id) from message`,
      [id, parent_id, surrogate_id, `live-${number}`],
    );
    message.committedAt = performance.now();
  }
  return expected;
}
