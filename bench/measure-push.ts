import { createECDH, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Process } from './processes.ts';
import { type PushSink, startPushSink } from './push-sink.ts';
import { type PreparedScenario, sendOnce } from './record-requests.ts';
import { BENCH_PASSWORD, BENCH_USERS } from './scenarios.ts';
import type { Usage } from './usage-probe.ts';

/** How fast people's devices are woken. */
export interface PushFigures {
  /** From the 201 of a message until its push is at the push service, one message at a time (milliseconds). */
  p50_ms: number;
  p99_ms: number;
  /** Pushes a second of one worker that finds many messages waiting, whose mails it makes meanwhile. */
  deliveries_per_second: number;
  /** From the 201 of a message to somebody with a thousand devices until the last was reached (milliseconds). */
  thousand_ms: number;
  /** CPU time of the worker for one of these, in microseconds. */
  cpu_us: number;
}

const MESSAGES = 300;
const BACKLOG = 1000;
const SENT_AT_ONCE = 8;
export const SUBSCRIPTIONS = 1000;

interface PushBench {
  api: Process;
  /** A message to an admin. */
  send: PreparedScenario;
  url: string;
  startWorker: () => Promise<Process>;
}

/** Measures with a worker of its own, a push service that takes everything, and no mail provider. */
export async function measurePush({ api, send, url, startWorker }: PushBench): Promise<PushFigures> {
  const sink = await startPushSink();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('delete from push_subscription');
    await client.query('delete from graphile_worker._private_jobs');
    const write = messagesOf(api, send);
    await subscribe(api, sink);
    const deliveries_per_second = await workBacklog(sink, write, startWorker);
    const worker = await startWorker();
    const latencies: number[] = [];
    // As many again before them: what is measured is a worker that has been running for a while.
    for (let n = -MESSAGES; n < MESSAGES; n += 1) {
      const latency = await reach(sink, write);
      if (n >= 0) latencies.push(latency);
    }
    await multiplyDevice(client);
    const { cpu } = await worker.ask<Usage>('usage');
    const thousand_ms = await reachAll(sink, write);
    const cpu_us = ((await worker.ask<Usage>('usage')).cpu - cpu) / SUBSCRIPTIONS;
    await worker.stop();
    const sorted = latencies.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
    return { p50_ms: at(0.5), p99_ms: at(0.99), deliveries_per_second, thousand_ms, cpu_us };
  } finally {
    await client.end();
    sink.close();
  }
}

type Write = () => Promise<{ id: number; acknowledged: number }>;

/** Each call writes the next message, into the chains in turn. */
function messagesOf(api: Process, { requests }: PreparedScenario): Write {
  let sent = 0;
  return async () => {
    const request = requests[sent % requests.length];
    sent += 1;
    if (request === undefined) throw new Error('there is nothing to send');
    const { message } = (await sendOnce(api.baseUrl ?? '', request)) as { message: { id: number } };
    return { id: message.id, acknowledged: performance.now() };
  };
}

/** The first as a browser does it. */
async function subscribe({ baseUrl }: Process, { url }: PushSink): Promise<void> {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    sendOnce(baseUrl ?? '', {
      ...{ method: 'POST', path, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', ...headers },
    });
  const credentials = { ...BENCH_USERS.escrow, pass_hash: BENCH_PASSWORD };
  const { access_token } = (await post('/api/user/auth/login', credentials)) as { access_token: string };
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
  const subscription = { enabled: true, endpoint: `${url}/device`, keys };
  await post('/api/notifications/subscribe', subscription, { authorization: `Bearer ${access_token}` });
}

/** The others straight into the table: nobody may have that many. */
async function multiplyDevice(client: pg.Client): Promise<void> {
  await client.query(
    `insert into push_subscription (user_type, user_id, endpoint, p256dh, auth, vapid_key_id)
     select user_type, user_id, endpoint || '-' || n, p256dh, auth, vapid_key_id
       from push_subscription, generate_series(2, $1::int) as n`,
    [SUBSCRIPTIONS],
  );
}

async function reach(sink: PushSink, write: Write): Promise<number> {
  const { id, acknowledged } = await write();
  return Math.max(0, (await sink.arrived(id)) - acknowledged);
}

async function workBacklog(sink: PushSink, write: Write, startWorker: () => Promise<Process>): Promise<number> {
  const arrivals = sink.next(BACKLOG);
  const lane = async () => {
    for (let n = 0; n < BACKLOG / SENT_AT_ONCE; n += 1) await write();
  };
  await Promise.all(Array.from({ length: SENT_AT_ONCE }, lane));
  const worker = await startWorker();
  const moments = await arrivals;
  await worker.stop();
  const [first = 0, last = 0] = [moments[0], moments.at(-1)];
  return (moments.length - 1) / ((last - first) / 1000);
}

async function reachAll(sink: PushSink, write: Write): Promise<number> {
  const arrivals = sink.next(SUBSCRIPTIONS);
  const { acknowledged } = await write();
  return ((await arrivals).at(-1) ?? Number.NaN) - acknowledged;
}
