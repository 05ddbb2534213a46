import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type BenchRequest, send } from './load.ts';
import type { Process } from './processes.ts';

/** Messages sent by many people at once, while workers announce them. */
export interface Throughput {
  /** API processes, and as many workers. */
  processes: number;
  /** Answered requests a second. */
  sent_per_second: number;
  p50_ms: number;
  p99_ms: number;
  /** Messages a second until the workers had done everything, too. */
  done_per_second: number;
  /** The same rows, written with SQL by as many connections as there are senders. */
  rows_per_second: number;
  share_of_rows: number;
}

const SENDERS = 32;
const DONE_WITHIN_MS = 120_000;
/** Processes that have just started compile their code, open connections, and prepare statements. */
const WARM_UP_SECONDS = 2;

/** Measures the platform and the bare rows one after the other. Nobody who receives a message has a device. */
export async function measureThroughput(
  apis: readonly Process[],
  { requests, url, seconds }: { requests: readonly BenchRequest[]; url: string; seconds: number },
): Promise<Throughput> {
  const pool = new pg.Pool({ connectionString: url, max: SENDERS });
  try {
    const chains = requests.map(({ path }) => Number(path.split('/').at(-1)));
    const write = (sender: number, n: number) => writeRows(pool, chains[(sender + n * SENDERS) % chains.length] ?? 0);
    await repeat(WARM_UP_SECONDS, write);
    const bare = await repeat(seconds, write);
    await pool.query('delete from graphile_worker._private_jobs; delete from outbox');
    const sendOne = async (sender: number, n: number) => {
      const api = apis[(sender + n) % apis.length] as Process;
      await send(api.baseUrl, requests[(sender + n * SENDERS) % requests.length] as BenchRequest);
    };
    await repeat(WARM_UP_SECONDS, sendOne);
    await untilDone(pool);
    const start = performance.now();
    const sending = await repeat(seconds, sendOne);
    await untilDone(pool);
    const doneSeconds = (performance.now() - start) / 1000;
    const sorted = sending.latencies.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
    const donePerSecond = sorted.length / doneSeconds;
    return {
      processes: apis.length,
      sent_per_second: sending.perSecond,
      p50_ms: at(0.5),
      p99_ms: at(0.99),
      done_per_second: donePerSecond,
      rows_per_second: bare.perSecond,
      share_of_rows: donePerSecond / bare.perSecond,
    };
  } finally {
    await pool.end();
  }
}

/** Every sender repeats its work for this long. */
async function repeat(seconds: number, work: (sender: number, n: number) => Promise<unknown>) {
  const latencies: number[] = [];
  const start = performance.now();
  const run = async (sender: number) => {
    for (let n = 0; performance.now() - start < seconds * 1000; n += 1) {
      const begun = performance.now();
      await work(sender, n);
      latencies.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, sender) => run(sender)));
  return { latencies, perSecond: latencies.length / ((performance.now() - start) / 1000) };
}

/** Waits until no job but the gathered mails, which are due later, is left. */
async function untilDone(pool: pg.Pool): Promise<void> {
  const until = performance.now() + DONE_WITHIN_MS;
  const isLeft = `select from graphile_worker.jobs where task_identifier <> 'email_gathered' limit 1`;
  while ((await pool.query(isLeft)).rows.length > 0) {
    if (performance.now() > until) throw new Error('The workers did not keep up.');
    await sleep(20);
  }
}

/** The rows of a message, its marks, its job, and its event, and the changes of its conversation, in one transaction. */
async function writeRows(pool: pg.Pool, chainId: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query({
      name: 'rows',
      text: `with c as (
               update message_chain set status = 'open', last_message_id = nextval(pg_get_serial_sequence('message', 'id')),
                      last_message_at = now() where id = $1 returning id, last_message_id),
             g as (update message_chain_group g set last_message_id = c.last_message_id from c where g.chain_id = c.id),
             m as (
               insert into message (id, chain_id, from_id, from_type, to_admin, message, search, search_version)
               select c.last_message_id, c.id, p.user_id, 'ip', true, $2, to_tsvector('simple', $2), 2
                 from c cross join lateral (select g.user_id from message_chain_group g where g.chain_id = c.id limit 1) p
               returning id, chain_id, from_id),
             r as (
               insert into message_recipient (message_id, user_id, chain_id)
               select m.id, g.user_id, m.chain_id from m join message_chain_group g on g.chain_id = m.chain_id
                where g.user_id <> m.from_id and g.left_at is null),
             e as (
               insert into outbox (event)
               select jsonb_build_object('kind', 'message', 'chain_id', chain_id, 'message_id', id) from m)
             select queue_jobs('announce_message', json_build_array(json_build_object('payload',
                      json_build_object('message_id', id))), null, 12, null, false) from m`,
      values: [chainId, 'Thank you, the receipts arrived. The next installment leaves on Friday.'],
    });
    await client.query('commit');
  } finally {
    client.release();
  }
}
