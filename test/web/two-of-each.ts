import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { listen } from '@case-platform/lib/http-server';
import pg from 'pg';
import { createStorageServer } from '../../apps/storage/server.ts';
import { assemble } from '../../deploy/assemble.mjs';
import { environmentOf } from '../../lib/config/settings-of-processes.mjs';
import { ROOT } from '../../scripts/checkout/checkout.mjs';
import { freePorts } from '../../scripts/test/free-ports.mjs';
import { readExposition } from '../operate/read-exposition.ts';
import { createTestDatabase, serverUrl, TEST_SECRETS } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freeNginxPorts, makeCertificate, startNginx } from '../support/nginx-example.ts';
import { quietLog, TEST_VAPID } from '../support/platform.ts';
import { startRedis } from '../support/stack/redis.ts';

const KINDS = ['web', 'api', 'admin', 'worker'] as const;
export type Kind = (typeof KINDS)[number];
type Settings = Record<string, string>;

export interface Instance {
  port: number;
  internalPort: number;
  child: ChildProcess;
}

/** Eight processes start at once, possibly on a busy machine. */
const READY_WITHIN_MS = 120_000;
/** The first process of a kind drains for longer than any test takes, and the second closes at once. */
const DRAIN_SECONDS = [300, 0];
/** Makes a process throw an uncaught exception on SIGUSR2, which also says if the process has loaded Node's type stripping. */
const FAILS_ON_SIGNAL = `--import=data:text/javascript,${encodeURIComponent(
  `process.on('SIGUSR2', () => {
    const own = process.moduleLoadList.some((name) => name.includes('amaro'));
    throw Error('nobody caught this' + (own ? ', which takes out types itself' : ''));
  })`,
)}`;
const UNITS = join(ROOT, 'deploy', 'systemd');

/**
 * Runs what deploy/ ships: the files that `deploy/assemble.mjs` collects, two processes of each kind with the command lines of
 * the units, in production mode, behind nginx with the example's configuration. Only ports, names, folders, and the certificate
 * differ. Everything is removed after the file's tests.
 */
export async function startTwoOfEach() {
  const folder = await mkdtemp(join(tmpdir(), 'two-of-each-'));
  const database = await createTestDatabase();
  after(() => rm(folder, { recursive: true, force: true }));
  const redis = await startRedis();
  const application = join(folder, 'application');
  const bytes = assemble(application);
  const certificate = await makeCertificate(folder);
  const listening = await freeNginxPorts();
  const { web, api, admin, files, apiInside } = listening;
  const ports = await freePorts(16);
  const url = (port: number) => `https://localhost:${port}`;
  const store = {
    S3_ACCESS_KEY_ID: randomBytes(12).toString('hex'),
    S3_SECRET_ACCESS_KEY: randomBytes(24).toString('hex'),
  };
  const settings: Settings = {
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: serverUrl(new URL(database.url).pathname.slice(1)),
    WEB_URL: url(web),
    API_URL: url(api),
    ADMIN_URL: url(admin),
    API_INTERNAL_URL: `http://127.0.0.1:${apiInside}`,
    S3_ENDPOINT: url(files),
    S3_FORCE_PATH_STYLE: 'true',
    ...store,
    VAPID_PUBLIC_KEY: TEST_VAPID.publicKey,
    VAPID_PRIVATE_KEY: TEST_VAPID.privateKey,
    VAPID_SUBJECT: TEST_VAPID.subject,
    EMAIL_PROVIDER: 'none',
    TRUST_PROXY: 'loopback',
    REDIS_URL: redis.url,
    ENCRYPTION_KEY: TEST_SECRETS.encryptionKey,
    ...Object.fromEntries(
      ['JWT_SECRET', 'AUTH_SECRET', 'MASTER_API_KEY', 'FORWARDING_SECRET', 'METRICS_TOKEN'].map((name) => [
        name,
        randomBytes(32).toString('hex'),
      ]),
    ),
  };
  const storePort = await startStore(folder, [url(web), url(admin)], store);
  const run = (kind: Kind | 'prepare', port: number, internalPort: number, drainSeconds = 0) =>
    startUnit(kind, {
      application,
      port,
      internalPort,
      settings: {
        ...environmentOf(kind, { ...settings, DRAIN_SECONDS: String(drainSeconds) }),
        NODE_EXTRA_CA_CERTS: certificate,
        NODE_OPTIONS: kind === 'prepare' ? '' : FAILS_ON_SIGNAL,
      },
    });

  // This is registered here because a hook that a test registers runs at the end of that test (see restart).
  after(() => Promise.all([...said.keys()].map(end)));
  const prepare = run('prepare', 0, 0);
  if ((await exitCode(prepare)) !== 0) throw new Error(`prepare has failed: ${said.get(prepare)}`);
  const restoreMigration = await removeLastMigration(settings.MIGRATION_DATABASE_URL ?? '');
  const instances = Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      DRAIN_SECONDS.map((drainSeconds): Instance => {
        const [port = 0, internalPort = 0] = ports.splice(0, 2);
        return { port, internalPort, child: run(kind, port, internalPort, drainSeconds) };
      }),
    ]),
  ) as Record<Kind, Instance[]>;
  const behind = { ...instances, files: [{ port: storePort }] };
  const started = Object.values(instances).flat();
  await Promise.all(started.map((one) => until('live', one)));
  const nginx = await startNginx({ folder, listening, behind });
  const beforeMigration = await readBeforeMigration(instances);
  const missing = await restoreMigration();
  await Promise.all(started.map((one) => until('ready', one)));
  return {
    ...database,
    bytes,
    webUrl: url(web),
    apiUrl: url(api),
    adminUrl: url(admin),
    plainUrl: `http://localhost:${listening.plain}`,
    redis,
    nginx,
    readMetrics: async ({ internalPort }: Instance) => {
      const headers = { authorization: `Bearer ${settings.METRICS_TOKEN}` };
      return readExposition(await (await fetch(`http://127.0.0.1:${internalPort}/metrics`, { headers })).text());
    },
    /** Ends the second process of a kind and starts it again, as `systemctl restart` does. */
    async restart(kind: Kind) {
      const second = instances[kind][1];
      if (second === undefined) throw new Error(`There is no second ${kind}.`);
      second.child.kill('SIGTERM');
      await exitCode(second.child);
      second.child = run(kind, second.port, second.internalPort);
      await until('ready', second);
    },
    instances,
    beforeMigration: { missing, answers: beforeMigration },
  };
}

/**
 * Makes the database look as it does when a new version is started before its migrations have run.
 * @returns a function that restores the migration and returns its name.
 */
async function removeLastMigration(ownerUrl: string): Promise<() => Promise<string>> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  const { rows } = await owner.query(
    'delete from schema_migration where name = (select max(name) from schema_migration) returning name, checksum',
  );
  const [{ name, checksum }] = rows;
  return async () => {
    await owner.query('insert into schema_migration (name, checksum) values ($1, $2)', [name, checksum]);
    // A migration of the next version is recorded as well, because two versions can run side by side (HEALTH-2).
    await owner.query(`insert into schema_migration (name, checksum) values ('9999_next_version.sql', '')`);
    await owner.end();
    return name;
  };
}

interface BeforeMigration {
  ready: { status: number; body: string };
  /** The answer to a page or a call; the worker has none. */
  call: { status: number; retryAfter: string | null } | null;
  output: string;
}

/** Reads the answers and the log of the first process of each kind while a migration is missing. */
async function readBeforeMigration(instances: Record<Kind, Instance[]>): Promise<Record<Kind, BeforeMigration>> {
  const paths: Record<Kind, string | null> = { web: null, api: '/openapi.json', admin: '/login', worker: null };
  const entries = KINDS.map(async (kind) => {
    const { port = 0, internalPort = 0, child } = instances[kind][0] ?? {};
    const ready = await eventually(`${kind} names what is missing`, async () => {
      const answer = await fetch(`http://127.0.0.1:${internalPort}/health/ready`);
      const body = await answer.text();
      const isLogged = child !== undefined && outputOf(child).includes('.sql');
      return isLogged && body.includes('.sql') ? { status: answer.status, body } : undefined;
    });
    const path = paths[kind];
    const answer = path === null ? null : await fetch(`http://127.0.0.1:${port}${path}`);
    const call = answer && { status: answer.status, retryAfter: answer.headers.get('retry-after') };
    return [kind, { ready, call, output: child === undefined ? '' : outputOf(child) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The last output of each process, for error messages. */
const said = new Map<ChildProcess, string>();

export function outputOf(child: ChildProcess): string {
  return said.get(child) ?? '';
}

/** Starts the command of a unit as systemd would, with nothing but its own environment. */
function startUnit(
  kind: Kind | 'prepare',
  {
    application,
    port,
    internalPort,
    settings,
  }: { application: string; port: number; internalPort: number; settings: NodeJS.ProcessEnv },
): ChildProcess {
  const names = ['case-platform-.service.d/common.conf', `case-platform-${kind}${kind === 'prepare' ? '' : '@'}.service`];
  const text = names.map((name) => readFileSync(join(UNITS, name), 'utf8')).join('\n');
  const lines = text
    .replaceAll('/opt/case-platform', application)
    .replaceAll('1%i', String(internalPort))
    .replaceAll('%i', String(port))
    .split('\n');
  const of = (name: string) => lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  const [command = '', ...args] = of('ExecStart')[0]?.split(' ') ?? [];
  const env = {
    ...settings,
    ...Object.fromEntries(
      of('Environment')
        .flatMap((line) => line.split(' '))
        .map((pair) => pair.split('=')),
    ),
  };
  const child = spawn(command, args, { cwd: of('WorkingDirectory')[0], env, stdio: ['ignore', 'pipe', 'pipe'] });
  said.set(child, '');
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => said.set(child, `${said.get(child)}${chunk}`.slice(-4000)));
  return child;
}

export function exitCode(child: ChildProcess): Promise<number | null> {
  return child.exitCode !== null ? Promise.resolve(child.exitCode) : new Promise((resolve) => child.once('exit', resolve));
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = exitCode(child);
  child.kill('SIGKILL');
  if (child.signalCode === null) await ended;
}

function until(state: 'live' | 'ready', { internalPort, child }: Instance): Promise<true> {
  return eventually(
    `a process is ${state}`,
    async () => {
      if (child.exitCode !== null) throw new Error(`It has ended: ${said.get(child)}`);
      const answer = await fetch(`http://127.0.0.1:${internalPort}/health/${state}`).catch(() => null);
      return answer?.status === 200;
    },
    READY_WITHIN_MS,
  );
}

/** Starts an S3 store, for which nginx ends TLS. */
async function startStore(folder: string, origins: string[], keys: Settings): Promise<number> {
  const credentials = {
    accessKeyId: keys.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: keys.S3_SECRET_ACCESS_KEY ?? '',
    region: 'us-east-1',
  };
  const app = await createStorageServer({
    log: quietLog,
    folder: join(folder, 'files'),
    bucket: 'case-platform',
    credentials,
    origins,
    now: () => new Date(),
  });
  after(() => app.close());
  return listen(app, '127.0.0.1', 0);
}
