import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Sinks } from './sinks.ts';

const SETTLE_WITHIN_MS = 150_000;
const LOOK_EVERY_MS = 200;

export interface Acknowledged {
  id: number;
  chain_id: number;
}

/** Waits until no job is left, and makes jobs that wait for another try due at once. @returns the jobs that are stuck */
export async function settle(pool: pg.Pool): Promise<string[]> {
  const until = performance.now() + SETTLE_WITHIN_MS;
  let jobs: { task: string; count: number }[] = [];
  while (performance.now() < until) {
    await pool.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null and run_at > now()');
    const { rows } = await pool.query(
      'select task_identifier as task, count(*)::int as count from graphile_worker.jobs group by 1',
    );
    jobs = rows;
    if (jobs.length === 0) return [];
    await sleep(LOOK_EVERY_MS);
  }
  return jobs.map(({ task, count }) => `stuck: ${count} jobs of ${task}`);
}

/** @returns messages that were lost, doubled, or not delivered */
export async function checkOutcome(
  pool: pg.Pool,
  acknowledged: readonly Acknowledged[],
  { devices, sinks: { pushes, mails } }: { devices: readonly string[]; sinks: Sinks },
): Promise<string[]> {
  const { rows } = await pool.query<{ id: number; message: string }>('select id, message from message');
  const storedIds = new Set(rows.map(({ id }) => id));
  const topicOf = (id: number) => createHash('sha256').update(`message-${id}`).digest('base64url').slice(0, 32);
  const problems: string[] = [];
  if (acknowledged.length === 0) problems.push('no message was acknowledged at all');
  // Each text was sent under one key until it was answered, so it must be stored once.
  const doubled = rows.length - new Set(rows.map(({ message }) => message)).size;
  if (doubled > 0) problems.push(`${doubled} messages were kept twice`);
  for (const { id, chain_id } of acknowledged) {
    if (!storedIds.has(id)) problems.push(`message ${id} was acknowledged and is lost`);
    if (!mails.has(`escrow@demo.test ${chain_id}`)) problems.push(`message ${id} was not mailed`);
    for (const device of devices) {
      if (!pushes.get(device)?.has(topicOf(id))) problems.push(`message ${id} was not pushed to ${device}`);
    }
  }
  // A repeated push replaces the notification with the same tag, so a device shows each message at most once.
  for (const [device, topics] of pushes) {
    if (topics.size > storedIds.size) problems.push(`${device} shows ${topics.size} notifications of ${storedIds.size} messages`);
  }
  const open = await pool.query(
    "select channel, state, count(*)::int as count from delivery where state <> 'sent' group by 1, 2",
  );
  for (const { channel, state, count } of open.rows) problems.push(`${count} deliveries by ${channel} are ${state}`);
  return problems;
}
