import { randomBytes, randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { grantToRoles } from '@case-platform/db/grant';
import { migrate } from '@case-platform/db/migrate';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { syncPermissions } from '@case-platform/modules/accounts';
import { COMPILE_CACHE } from '../scripts/checkout/checkout.mjs';
import { hashDemoPasswords, seedCast } from '../scripts/demo/seed-cast.ts';
import { startPostgres } from '../scripts/postgres/postgres.mjs';
import { removePlace } from '../scripts/postgres/postgres-place.mjs';
import { freePorts } from '../scripts/test/free-ports.mjs';
import { NO_LIMITS } from '../scripts/test/no-limits.mjs';
import { type Acknowledged, checkOutcome, settle } from './check-outcome.ts';
import { breakFor, breakOnce, type Fault, randomBy } from './faults.ts';
import { Layer } from './layers.ts';
import { insist, signIn, subscribe, write } from './load.ts';
import { type Sinks, startSinks } from './sinks.ts';

const DEVICES = ['/phone', '/desk'];
const WRITERS = 4;
const START_WITHIN_MS = 150_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string', default: '120' },
    once: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? randomInt(1_000_000));
const seconds = Number(values.seconds);
const options = values.once ? `--seed ${seed} --once` : `--seed ${seed} --seconds ${seconds}`;
const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);

async function run(): Promise<boolean> {
  console.log(`seed ${seed} (again: npm run chaos -- ${options})`);
  const folder = mkdtempSync(join(tmpdir(), 'case-platform-chaos-'));
  chmodSync(folder, 0o711);
  const sinks = await startSinks();
  const database = await startDatabase(folder);
  const encryptionKey = randomBytes(32).toString('base64url');
  await prepare(database, encryptionKey);
  const [port = 0, storagePort = 0] = await freePorts(2);
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    NODE_ENV: 'development',
    LOG_LEVEL: 'error',
    ...NO_LIMITS,
    DATABASE_URL: database.applicationUrl,
    DATA_DIR: folder,
    ENCRYPTION_KEY: encryptionKey,
    API_PORT: String(port),
    STORAGE_PORT: String(storagePort),
    PUSH_ALLOWED_HOSTS: '127.0.0.1',
    MAILPIT_URL: sinks.url,
  };
  // The storage gets no faults, but the API is not ready without it.
  const storage = new Layer('storage', env, folder);
  const platform = { api: new Layer('api', env, folder), worker: new Layer('worker', env, folder), database, sinks };
  let problems = ['the run did not end'];
  try {
    problems = await breakAndCheck(`http://127.0.0.1:${port}`, platform);
  } finally {
    await Promise.all([platform.api, platform.worker, storage].map((layer) => layer.retire()));
    sinks.close();
    await database.stop();
  }
  for (const problem of problems.slice(0, 20)) console.log(`FAIL ${problem}`);
  if (problems.length > 0) {
    console.log(`${problems.length} problems, seed ${seed}; logs in ${folder}`);
    return false;
  }
  removePlace(folder);
  rmSync(folder, { recursive: true, force: true });
  say(`ok, seed ${seed}`);
  return true;
}

interface Platform {
  api: Layer;
  worker: Layer;
  database: Awaited<ReturnType<typeof startDatabase>>;
  sinks: Sinks;
}

/** @returns the problems that were found */
async function breakAndCheck(url: string, platform: Platform): Promise<string[]> {
  const { api, worker, database, sinks } = platform;
  const ready = performance.now() + START_WITHIN_MS;
  if ((await insist(`${url}/health/ready`, {}, ready)) === null) throw new Error('the API does not start');
  const parent = await signIn(url, 'parent@demo.test', 'intended_parent', ready);
  const escrow = await signIn(url, 'escrow@demo.test', 'admin', ready);
  for (const device of DEVICES) await subscribe(url, escrow, `${sinks.url}${device}`, ready);
  say('the platform has started');

  const acknowledged: Acknowledged[] = [];
  let broken = false;
  let unanswered = 0;
  const writers = Array.from({ length: WRITERS }, async () => {
    while (!broken) {
      const message = await write(url, parent);
      if (message === null) unanswered += 1;
      else acknowledged.push(message);
      await sleep(50);
    }
  });
  const cause = async (fault: Fault) => {
    say(`${fault}, after ${acknowledged.length} messages`);
    await causeFault(fault, platform);
  };
  const random = randomBy(seed);
  await (values.once ? breakOnce(acknowledged, random, cause) : breakFor(seconds, { acknowledged, random, cause }));
  broken = true;
  sinks.feel('well');
  await Promise.all(writers);
  say(`${acknowledged.length} messages acknowledged, ${unanswered} given up`);
  const pool = createPool({ url: database.url, name: 'chaos', max: 2, onError: () => {} });
  try {
    const problems = [...(await settle(pool)), ...(await checkOutcome(pool, acknowledged, { devices: DEVICES, sinks }))];
    say(`settled; ${api.kills} + ${worker.kills} kills, ${database.restarts} database restarts`);
    return problems;
  } finally {
    await pool.end();
  }
}

async function causeFault(fault: Fault, { api, worker, database, sinks }: Platform): Promise<void> {
  if (fault === 'kill -9 api') api.kill();
  else if (fault === 'kill -9 worker') worker.kill();
  else if (fault === 'database, immediate') await database.restart();
  else sinks.feel(fault === 'providers fail' ? 'failing' : fault === 'providers hang' ? 'hanging' : 'well');
}

/** Starts a PostgreSQL that is as durable as in production and can be ended in immediate mode. */
async function startDatabase(folder: string) {
  let postgres = await startPostgres({ dataDir: folder, mode: 'durable' });
  const { url, port } = postgres;
  const applicationUrl = postgres.urlAs();
  const database = {
    url,
    applicationUrl,
    restarts: 0,
    async restart() {
      database.restarts += 1;
      postgres.kill();
      await postgres.ended;
      postgres = await startPostgres({ dataDir: folder, mode: 'durable', port });
    },
    stop: () => postgres.stop(),
  };
  return database;
}

async function prepare({ url, applicationUrl }: { url: string; applicationUrl: string }, encryptionKey: string) {
  const pool = createPool({ url, name: 'chaos', max: 2 });
  await migrate(pool);
  await grantToRoles(pool, { everything: applicationUrl });
  const db = createDatabase(pool);
  await syncPermissions(db);
  const hashes = await hashDemoPasswords();
  await db.transaction((tx) => seedCast(tx, encryptionKey, hashes));
  await pool.end();
}

process.exitCode = (await run()) ? 0 : 1;
