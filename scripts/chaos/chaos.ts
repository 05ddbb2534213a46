import { createHash, randomBytes, randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Schema } from '@case-platform/db';
import { grantToApplication } from '@case-platform/db/grant';
import { migrate } from '@case-platform/db/migrate';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { synchronisePermissions } from '@case-platform/modules/permissions';
import type pg from 'pg';
import { hashDemoPasswords, seedCast } from '../demo/seed-demo.ts';
import { startPostgres } from '../postgres.mjs';
import { freePort, Layer } from './layers.ts';
import { insist, signIn, subscribe, write } from './load.ts';
import { startSinks } from './sinks.ts';

const DEVICES = ['/phone', '/desk'];
const WRITERS = 4;
const SETTLE_WITHIN_MS = 90_000;
const START_WITHIN_MS = 60_000;

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seconds: { type: 'string', default: '120' } },
});
const seed = Number(values.seed ?? randomInt(1_000_000));
const seconds = Number(values.seconds);
async function run(): Promise<boolean> {
  console.log(`seed ${seed}, ${seconds} s (again: npm run chaos -- --seed ${seed} --seconds ${seconds})`);
  const folder = mkdtempSync(join(tmpdir(), 'case-platform-chaos-'));
  chmodSync(folder, 0o711);
  const sinks = await startSinks();
  let postgres = await startPostgres({ dataDir: folder, mode: 'durable' });
  const { port } = postgres;
  const encryptionKey = randomBytes(32).toString('base64url');
  await prepare(postgres.url, postgres.applicationUrl, encryptionKey);
  const apiPort = await freePort();
  const api = `http://127.0.0.1:${apiPort}`;
  const env = {
    ...{ PATH: process.env.PATH, NODE_ENV: 'development', DATABASE_URL: postgres.applicationUrl, DATA_DIR: folder },
    ...{ API_PORT: String(apiPort), PUSH_ALLOWED_HOSTS: '127.0.0.1', MAILPIT_URL: sinks.url, LOG_LEVEL: 'error' },
    ENCRYPTION_KEY: encryptionKey,
  };
  const layers = [new Layer('api', env, folder), new Layer('worker', env, folder)];
  const pool = createPool({ url: postgres.url, name: 'chaos', max: 2, onError: () => {} });
  try {
    const ready = performance.now() + START_WITHIN_MS;
    if ((await insist(`${api}/health/ready`, {}, ready)) === null) throw new Error('the API does not start');
    const parent = await signIn(api, 'parent@demo.test', 'intended_parent', ready);
    const escrow = await signIn(api, 'escrow@demo.test', 'admin', ready);
    for (const device of DEVICES) await subscribe(api, escrow, `${sinks.url}${device}`, ready);

    const until = performance.now() + seconds * 1000;
    const acknowledged: { id: number; chain_id: number }[] = [];
    const writers = Array.from({ length: WRITERS }, async () => {
      while (performance.now() < until) {
        const message = await write(api, parent, until + SETTLE_WITHIN_MS);
        if (message !== null) acknowledged.push(message);
        await sleep(50);
      }
    });
    const restarted = { times: 0 };
    const faults = breakThings(until, async (fault) => {
      console.log(`  ${Math.round((until - performance.now()) / 1000)} s left: ${fault}`);
      if (fault === 'kill -9 api') layers[0]?.kill();
      else if (fault === 'kill -9 worker') layers[1]?.kill();
      else if (fault === 'database, immediate') {
        restarted.times += 1;
        postgres.kill();
        await postgres.ended;
        postgres = await startPostgres({ dataDir: folder, mode: 'durable', port });
      } else sinks.feel(fault === 'providers fail' ? 'failing' : fault === 'providers hang' ? 'hanging' : 'well');
    });
    await Promise.all([...writers, faults]);
    sinks.feel('well');
    const stuck = await settle(pool);
    const problems = [...stuck, ...(await judge(pool, acknowledged, sinks))];
    const kills = layers.map(({ kills: times }) => times).join(' + ');
    console.log(`${acknowledged.length} messages acknowledged; ${kills} kills, ${restarted.times} database restarts.`);
    for (const problem of problems.slice(0, 20)) console.log(`FAIL ${problem}`);
    console.log(
      problems.length === 0 ? `ok, seed ${seed}` : `${problems.length} problems, seed ${seed}; logs in ${folder}`,
    );
    if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
    return problems.length === 0;
  } finally {
    await Promise.all(layers.map((layer) => layer.retire()));
    await pool.end();
    sinks.close();
    await postgres.stop();
  }
}

async function prepare(url: string, applicationUrl: string, encryptionKey: string): Promise<void> {
  const pool = createPool({ url, name: 'chaos', max: 2 });
  await migrate(pool);
  await grantToApplication(pool, applicationUrl);
  const db = createDatabase<Schema>(pool);
  await synchronisePermissions(db);
  const hashes = await hashDemoPasswords();
  await db.transaction().execute((tx) => seedCast(tx, encryptionKey, hashes));
  await pool.end();
}

const FAULTS = [
  ...['kill -9 worker', 'kill -9 worker', 'kill -9 api', 'database, immediate'],
  ...['providers fail', 'providers hang', 'providers work', 'providers work'],
];

/** One fault every second or three, the same ones in the same order for the same seed. */
async function breakThings(until: number, cause: (fault: string) => Promise<void>): Promise<void> {
  let state = seed;
  const random = () => {
    // mulberry32: small, and the same everywhere.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  while (performance.now() < until) {
    await sleep(Math.min(1000 + random() * 2000, Math.max(0, until - performance.now())));
    if (performance.now() < until) await cause(FAULTS[Math.floor(random() * FAULTS.length)] ?? 'providers work');
  }
}

/** Waits until nothing is left to do; what waits for its next try is made due. */
async function settle(pool: pg.Pool): Promise<string[]> {
  const until = performance.now() + SETTLE_WITHIN_MS;
  let left: { task: string; count: number }[] = [];
  while (performance.now() < until) {
    await pool.query(
      'update graphile_worker._private_jobs set run_at = now() where locked_at is null and run_at > now()',
    );
    const { rows } = await pool.query(
      'select task_identifier as task, count(*)::int as count from graphile_worker.jobs group by 1',
    );
    left = rows;
    if (left.length === 0) return [];
    await sleep(500);
  }
  return left.map(({ task, count }) => `stuck: ${count} jobs of ${task}`);
}

async function judge(
  pool: pg.Pool,
  acknowledged: readonly { id: number; chain_id: number }[],
  { pushes, mails }: Awaited<ReturnType<typeof startSinks>>,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: number }>('select id from message');
  const kept = new Set(rows.map(({ id }) => id));
  const topicOf = (id: number) => createHash('sha256').update(`message-${id}`).digest('base64url').slice(0, 32);
  const problems: string[] = [];
  for (const { id, chain_id } of acknowledged) {
    if (!kept.has(id)) problems.push(`message ${id} was acknowledged and is lost`);
    if (!mails.has(`escrow@demo.test ${chain_id}`)) problems.push(`message ${id} was not mailed`);
    for (const device of DEVICES) {
      if (!pushes.get(device)?.has(topicOf(id))) problems.push(`message ${id} was not pushed to ${device}`);
    }
  }
  // A repeat has the same tag and replaces what is shown: as many tags as messages, so that nothing is shown twice.
  for (const [device, topics] of pushes) {
    if (topics.size > kept.size) problems.push(`${device} shows ${topics.size} notifications of ${kept.size} messages`);
  }
  const open = await pool.query(
    "select channel, state, count(*)::int as count from delivery where state <> 'sent' group by 1, 2",
  );
  for (const { channel, state, count } of open.rows) problems.push(`${count} deliveries by ${channel} are ${state}`);
  return problems;
}

process.exitCode = (await run()) ? 0 : 1;
