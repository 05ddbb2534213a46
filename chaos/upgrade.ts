import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createPool } from '@case-platform/lib/database';
import { COMPILE_CACHE, ROOT } from '../scripts/checkout/checkout.mjs';
import { findNewestRelease } from '../scripts/checkout/newest-release.mjs';
import { runCommand } from '../scripts/checkout/run-command.mjs';
import { startPostgres } from '../scripts/postgres/postgres.mjs';
import { removePlace } from '../scripts/postgres/postgres-place.mjs';
import { freePorts } from '../scripts/test/free-ports.mjs';
import { NO_LIMITS } from '../scripts/test/no-limits.mjs';
import { checkOut } from './check-out.ts';
import { checkOutcome, settle } from './check-outcome.ts';
import { Layer } from './layers.ts';
import { insist, signIn } from './load.ts';
import { startSinks } from './sinks.ts';
import { Entry, type Load, type People, startLoad } from './upgrade-load.ts';

/**
 * `npm run chaos -- --upgrade [--from COMMIT] [--seconds N]`: the newest release (or COMMIT) runs by itself, then its database
 * is migrated while it runs, then both versions run side by side, then the new one by itself, and the same way back. Each
 * version has an API, a staff application, and a worker. People keep working all the time, and no call may fail. Each phase
 * takes N seconds (default 15). Without a release and without `--from`, there is nothing to do.
 */
const START_WITHIN_MS = 150_000;
/** The time between removing a process from the load balancer and ending it. */
const LEAVES_WITHIN_MS = 1000;

const { values } = parseArgs({
  options: { upgrade: { type: 'boolean' }, from: { type: 'string' }, seconds: { type: 'string', default: '15' } },
});
const began = performance.now();
const say = (text: string) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);

/** The processes of one version, which join and leave the load balancer together. */
class Version {
  #layers: Layer[] = [];
  readonly name: string;
  readonly root: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string;
  readonly #urls: { api: string; admin: string };

  constructor(name: string, root: string, env: NodeJS.ProcessEnv, folder: string) {
    this.name = name;
    this.root = root;
    this.#env = env;
    this.#folder = folder;
    this.#urls = { api: `http://127.0.0.1:${env.API_PORT}`, admin: `http://127.0.0.1:${env.ADMIN_PORT}` };
  }

  /** Starts the processes and, once they are ready, sends calls to them. */
  async join(api: Entry, staff: Entry): Promise<void> {
    const until = performance.now() + START_WITHIN_MS;
    this.#layers = (['api', 'admin', 'worker'] as const).map(
      (name) => new Layer(name, this.#env, this.#folder, { root: this.root }),
    );
    for (const url of Object.values(this.#urls)) {
      if ((await insist(`${url}/health/ready`, {}, until)) === null) throw new Error(`${this.name} does not start`);
    }
    api.targets.push(this.#urls.api);
    staff.targets.push(this.#urls.admin);
    say(`${this.name} has joined`);
  }

  /** Stops sending calls to the processes, and ends them once the calls under way are answered. */
  async leave(api: Entry, staff: Entry): Promise<void> {
    api.targets.splice(api.targets.indexOf(this.#urls.api), 1);
    staff.targets.splice(staff.targets.indexOf(this.#urls.admin), 1);
    await sleep(LEAVES_WITHIN_MS);
    await Promise.all(this.#layers.map((layer) => layer.retire()));
    this.#layers = [];
    say(`${this.name} has left`);
  }

  async end(): Promise<void> {
    await Promise.all(this.#layers.map((layer) => layer.retire()));
  }

  /** Prepares the database for this version: migrations, permissions, and, if it is empty, the demo. */
  async prepare(): Promise<void> {
    const { code, output } = await runCommand(process.execPath, ['scripts/start/prepare.ts'], {
      cwd: this.root,
      env: this.#env,
    });
    if (code !== 0) throw new Error(`${this.name} cannot be prepared: ${output}`);
    say(`${this.name} has prepared the database`);
  }
}

async function run(): Promise<boolean> {
  const commit = values.from ?? findNewestRelease();
  if (commit === null) {
    say('there is no release yet, so there is nothing to upgrade from');
    return true;
  }
  say(`the earlier version is ${commit}`);
  const folder = mkdtempSync(join(tmpdir(), 'case-platform-upgrade-'));
  chmodSync(folder, 0o711);
  const root = join(folder, 'before');
  await checkOut(commit, root);
  const sinks = await startSinks();
  const postgres = await startPostgres({ dataDir: folder, mode: 'durable' });
  const [storagePort = 0, ...ports] = await freePorts(5);
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    NODE_ENV: 'development',
    LOG_LEVEL: 'error',
    ...NO_LIMITS,
    DATABASE_URL: postgres.urlAs(),
    MIGRATION_DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    STORAGE_PORT: String(storagePort),
    PUSH_ALLOWED_HOSTS: '127.0.0.1',
    MAILPIT_URL: sinks.url,
  };
  const at = (api = 0, admin = 0) => ({ ...env, API_PORT: String(api), ADMIN_PORT: String(admin) });
  const before = new Version('the earlier version', root, at(ports[0], ports[1]), folder);
  const present = new Version('this version', ROOT, at(ports[2], ports[3]), folder);
  const storage = new Layer('storage', env, folder, { root });
  let problems = ['the run did not end'];
  try {
    if ((await insist(`http://127.0.0.1:${storagePort}/`, {}, performance.now() + START_WITHIN_MS)) === null)
      throw new Error('the storage does not start');
    await before.prepare();
    const [api, staff] = [new Entry(), new Entry()];
    const load = await upgradeAndBack({ before, present, api, staff });
    const pool = createPool({ url: postgres.url, name: 'upgrade', max: 2 });
    const stuck = await settle(pool);
    problems = [
      ...api.failures,
      ...staff.failures,
      ...stuck,
      ...(await checkOutcome(pool, load.acknowledged, { devices: [], sinks })),
    ];
    problems.push(...(await wrongSums(pool)));
    await pool.end();
    say(`${api.calls} calls and ${staff.calls} pages, the slowest ${Math.round(Math.max(api.slowestMs, staff.slowestMs))} ms`);
    say(`${load.acknowledged.length} messages sent, ${load.decided} requests approved`);
  } finally {
    await Promise.all([before.end(), present.end(), storage.retire()]);
    sinks.close();
    await postgres.stop();
  }
  for (const problem of problems.slice(0, 20)) console.log(`FAIL ${problem}`);
  if (problems.length > 0) {
    console.log(`${problems.length} problems; logs in ${folder}`);
    return false;
  }
  removePlace(folder);
  rmSync(folder, { recursive: true, force: true });
  say('ok: no call failed');
  return true;
}

interface Upgrade {
  before: Version;
  present: Version;
  api: Entry;
  staff: Entry;
}

async function upgradeAndBack({ before, present, api, staff }: Upgrade): Promise<Load> {
  await before.join(api, staff);
  const load = startLoad(api, staff, await meet(api.targets[0] ?? ''));
  const phase = async (name: string) => {
    await sleep(Number(values.seconds) * 1000);
    say(`${name}: ${api.calls} calls, ${staff.calls} pages, ${api.failures.length + staff.failures.length} failed`);
  };
  try {
    await phase('the earlier version by itself');
    await present.prepare();
    await phase('the earlier version on the new schema');
    await present.join(api, staff);
    await phase('both versions side by side');
    await before.leave(api, staff);
    await phase('the new version by itself');
    await before.join(api, staff);
    await phase('both versions side by side, on the way back');
    await present.leave(api, staff);
    await phase('the earlier version by itself again');
  } finally {
    await load.stop();
  }
  return load;
}

/** Signs in people of the demo, whose tokens both versions accept. */
async function meet(url: string): Promise<People> {
  const until = performance.now() + START_WITHIN_MS;
  const parent = await signIn(url, 'parent@demo.test', 'intended_parent', until);
  const surrogate = await signIn(url, 'surrogate@demo.test', 'surrogate', until);
  const escrow = await signIn(url, 'escrow@demo.test', 'admin', until);
  const cases = (await (await fetch(`${url}/api/cases`, { headers: parent })).json()) as { data: { id: number }[] };
  return { parent, surrogate, escrow, caseId: cases.data[0]?.id ?? 0 };
}

async function wrongSums(pool: ReturnType<typeof createPool>): Promise<string[]> {
  const { rows } = await pool.query(
    `select b.case_id, b.account from ledger_balance b
      where b.amount_cents <> (select coalesce(sum(p.amount_cents), 0) from ledger_posting p
                                where p.case_id = b.case_id and p.account = b.account)
     union all select transaction_id, 'transaction' from ledger_posting group by 1 having sum(amount_cents) <> 0`,
  );
  return rows.map((row) => `the ledger is wrong: ${JSON.stringify(row)}`);
}

process.exitCode = (await run()) ? 0 : 1;
