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
import { removePlace } from '../scripts/postgres/postgres-place.mjs';
import { freePorts } from '../scripts/test/free-ports.mjs';
import { NO_LIMITS } from '../scripts/test/no-limits.mjs';
import { type Acknowledged, checkOutcome, settle } from './check-outcome.ts';
import { ChaosDatabase } from './database.ts';
import { breakFor, breakOnce, type Fault, randomBy } from './faults.ts';
import { Layer } from './layers.ts';
import { insist, signIn, subscribe, write } from './load.ts';
import { ChaosRedis } from './redis.ts';
import { type Sinks, startSinks } from './sinks.ts';
import { Stream } from './streams.ts';

/** Each process has a database role of its own, which shows who publishes. */
const API_ROLES = ['api-1', 'api-2'];
const WORKER_ROLES = ['worker-1', 'worker-2'];
const DEVICES = ['/phone', '/desk'];
const WRITERS = 4;
/** Each writer begins a new conversation after this many messages. */
const CHAIN_LENGTH = 5;
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
  const redis = await ChaosRedis.start(say);
  const database = await ChaosDatabase.start(folder);
  const encryptionKey = randomBytes(32).toString('base64url');
  await prepare(database, encryptionKey);
  await database.addStandby();
  const [storagePort = 0, ...ports] = await freePorts(3);
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    NODE_ENV: 'development',
    LOG_LEVEL: 'error',
    ...NO_LIMITS,
    DATA_DIR: folder,
    ENCRYPTION_KEY: encryptionKey,
    STORAGE_PORT: String(storagePort),
    PUSH_ALLOWED_HOSTS: '127.0.0.1',
    MAILPIT_URL: sinks.url,
    ...(redis === null ? {} : { REDIS_URL: redis.url }),
  };
  // The storage gets no faults, but the API is not ready without it.
  const storage = new Layer('storage', env, folder);
  const inRole = (label: string, settings = {}) => ({ ...env, DATABASE_URL: database.urlAs(label), ...settings });
  const apis = ports.map((port, at) => {
    const label = API_ROLES[at] ?? '';
    return new Layer('api', inRole(label, { API_PORT: String(port) }), folder, { label });
  });
  const workers = WORKER_ROLES.map((label) => new Layer('worker', inRole(label), folder, { label }));
  const bases = ports.map((port) => `http://127.0.0.1:${port}`);
  let problems = ['the run did not end'];
  try {
    problems = await breakAndCheck(bases, { apis, workers, database, redis, sinks, publisherKills: 0 });
  } finally {
    await Promise.all([...apis, ...workers, storage].map((layer) => layer.retire()));
    sinks.close();
    await redis?.stop();
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
  apis: Layer[];
  workers: Layer[];
  database: ChaosDatabase;
  redis: ChaosRedis | null;
  sinks: Sinks;
  /** The kills of a process that was publishing. */
  publisherKills: number;
}

/** @returns the problems that were found */
async function breakAndCheck(bases: readonly string[], platform: Platform): Promise<string[]> {
  const { apis, workers, database, redis, sinks } = platform;
  const ready = performance.now() + START_WITHIN_MS;
  for (const base of bases)
    if ((await insist(`${base}/health/ready`, {}, ready)) === null) throw new Error('the API does not start');
  const [url = ''] = bases;
  const parent = await signIn(url, 'parent@demo.test', 'intended_parent', ready);
  const escrow = await signIn(url, 'escrow@demo.test', 'admin', ready);
  for (const device of DEVICES) await subscribe(url, escrow, `${sinks.url}${device}`, ready);
  say('the platform has started');

  const acknowledged: Acknowledged[] = [];
  const readAll = () => database.listMessages();
  const streams = [escrow, parent].map((headers) => new Stream({ bases, headers, acknowledged, readAll }));
  let broken = false;
  let unanswered = 0;
  const writers = Array.from({ length: WRITERS }, async () => {
    let chainId: number | undefined;
    for (let count = 0; !broken; count += 1) {
      const message = await write(bases, parent, count % CHAIN_LENGTH === 0 ? undefined : chainId);
      if (message === null) unanswered += 1;
      else acknowledged.push(message);
      chainId = message?.chain_id;
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
    const late = (await Promise.all(streams.map((stream) => stream.end()))).flat();
    const problems = [...late, ...(await settle(pool)), ...(await checkOutcome(pool, acknowledged, { devices: DEVICES, sinks }))];
    const kills = [apis, workers].map((layers) => layers.reduce((sum, { kills }) => sum + kills, 0));
    const connections = streams.reduce((sum, stream) => sum + stream.connections, 0);
    const resyncs = streams.reduce((sum, stream) => sum + stream.resyncs, 0);
    say(
      `settled; ${kills.join(' + ')} kills, ${platform.publisherKills} of them of the publisher, ${redis?.kills ?? 0} of Redis`,
    );
    say(`${database.restarts} database restarts, ${database.promotions} promotions, ${connections} streams, ${resyncs} resyncs`);
    return problems;
  } finally {
    await pool.end();
  }
}

async function causeFault(fault: Fault, platform: Platform): Promise<void> {
  const { apis, workers, database, redis, sinks } = platform;
  /** The one that was killed less often. */
  const next = (layers: Layer[]) => layers.reduce((one, other) => (other.kills < one.kills ? other : one));
  if (fault === 'kill -9 api') next(apis).kill();
  else if (fault === 'kill -9 worker') next(workers).kill();
  else if (fault === 'kill -9 publisher') {
    const role = await database.findPublisher();
    const publisher = [...apis, ...workers].find(({ label }) => label === role);
    if (publisher === undefined) return say('no process publishes');
    publisher.kill();
    platform.publisherKills += 1;
  } else if (fault === 'kill Redis') await redis?.kill();
  else if (fault === 'database, immediate') await database.restart();
  else if (fault === 'promote the standby') await database.promote();
  else sinks.feel(fault === 'providers fail' ? 'failing' : fault === 'providers hang' ? 'hanging' : 'well');
}

async function prepare(database: ChaosDatabase, encryptionKey: string) {
  const pool = createPool({ url: database.url, name: 'chaos', max: 2 });
  await migrate(pool);
  for (const [at, api] of API_ROLES.entries())
    await grantToRoles(pool, { api: database.urlAs(api), worker: database.urlAs(WORKER_ROLES[at] ?? '') });
  const db = createDatabase(pool);
  await syncPermissions(db);
  const hashes = await hashDemoPasswords();
  await db.transaction((tx) => seedCast(tx, encryptionKey, hashes));
  await pool.end();
}

process.exitCode = (await run()) ? 0 : 1;
