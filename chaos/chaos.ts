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
import { type Sinks, startSinks } from './sinks.ts';
import { Stream } from './streams.ts';

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
  const database = await ChaosDatabase.start(folder);
  const encryptionKey = randomBytes(32).toString('base64url');
  await prepare(database.current, encryptionKey);
  await database.addStandby();
  const [storagePort = 0, ...ports] = await freePorts(3);
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    NODE_ENV: 'development',
    LOG_LEVEL: 'error',
    ...NO_LIMITS,
    DATABASE_URL: database.applicationUrl,
    DATA_DIR: folder,
    ENCRYPTION_KEY: encryptionKey,
    STORAGE_PORT: String(storagePort),
    PUSH_ALLOWED_HOSTS: '127.0.0.1',
    MAILPIT_URL: sinks.url,
  };
  // The storage gets no faults, but the API is not ready without it.
  const storage = new Layer('storage', env, folder);
  const apis = ports.map((port) => new Layer('api', { ...env, API_PORT: String(port) }, folder, { label: `api-${port}` }));
  const workers = [1, 2].map((number) => new Layer('worker', env, folder, { label: `worker-${number}` }));
  const bases = ports.map((port) => `http://127.0.0.1:${port}`);
  let problems = ['the run did not end'];
  try {
    problems = await breakAndCheck(bases, { apis, workers, database, sinks });
  } finally {
    await Promise.all([...apis, ...workers, storage].map((layer) => layer.retire()));
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
  apis: Layer[];
  workers: Layer[];
  database: ChaosDatabase;
  sinks: Sinks;
}

/** @returns the problems that were found */
async function breakAndCheck(bases: readonly string[], platform: Platform): Promise<string[]> {
  const { apis, workers, database, sinks } = platform;
  const ready = performance.now() + START_WITHIN_MS;
  for (const base of bases)
    if ((await insist(`${base}/health/ready`, {}, ready)) === null) throw new Error('the API does not start');
  const [url = ''] = bases;
  const parent = await signIn(url, 'parent@demo.test', 'intended_parent', ready);
  const escrow = await signIn(url, 'escrow@demo.test', 'admin', ready);
  for (const device of DEVICES) await subscribe(url, escrow, `${sinks.url}${device}`, ready);
  say('the platform has started');

  const acknowledged: Acknowledged[] = [];
  const streams = [escrow, parent].map((headers) => new Stream(bases, headers, acknowledged));
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
  const pool = createPool({ url: database.current.url, name: 'chaos', max: 2, onError: () => {} });
  try {
    const late = (await Promise.all(streams.map((stream) => stream.end()))).flat();
    const problems = [...late, ...(await settle(pool)), ...(await checkOutcome(pool, acknowledged, { devices: DEVICES, sinks }))];
    const kills = [apis, workers].map((layers) => layers.reduce((sum, { kills }) => sum + kills, 0));
    const connections = streams.reduce((sum, stream) => sum + stream.connections, 0);
    say(
      `settled; ${kills.join(' + ')} kills, ${database.restarts} database restarts, ${database.promotions} promotions, ` +
        `${connections} streams`,
    );
    return problems;
  } finally {
    await pool.end();
  }
}

async function causeFault(fault: Fault, { apis, workers, database, sinks }: Platform): Promise<void> {
  /** The one that was killed less often. */
  const next = (layers: Layer[]) => layers.reduce((one, other) => (other.kills < one.kills ? other : one));
  if (fault === 'kill -9 api') next(apis).kill();
  else if (fault === 'kill -9 worker') next(workers).kill();
  else if (fault === 'database, immediate') await database.restart();
  else if (fault === 'promote the standby') await database.promote();
  else sinks.feel(fault === 'providers fail' ? 'failing' : fault === 'providers hang' ? 'hanging' : 'well');
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
