import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createPool } from '@case-platform/lib/database';
import type pg from 'pg';
import { within } from '../../../apps/web/look/within.ts';
import { freePorts } from '../../../scripts/test/free-ports.mjs';
import { NO_LIMITS } from '../../../scripts/test/no-limits.mjs';
import { cloneDatabase, DEMO_TEMPLATE, demoFolder, roleAddresses, serverUrl, TEST_SECRETS, withServer } from '../database.ts';

export interface RealStack {
  webUrl: string;
  apiUrl: string;
  adminUrl: string;
  storageUrl: string;
  dataDir: string;
  /** Connects as the owner of the schema. */
  databaseUrl: string;
  /** For checks of data that no page shows. */
  pool: pg.Pool;
}

/** A platform starts in about ten seconds, and its six processes take longer on a busy machine. */
const READY_WITHIN_MS = 150_000;
const END_WITHIN_MS = 60_000;

const START = fileURLToPath(new URL('../../../scripts/start.mjs', import.meta.url));
/** Browser tests do more in a minute than a person. The limits of sign-in are unchanged. */
const { LIMIT_CALLS, LIMIT_CALLS_ADDRESS, LIMIT_MESSAGES, LIMIT_MAILS } = NO_LIMITS;
const LIMITS = { LIMIT_CALLS, LIMIT_CALLS_ADDRESS, LIMIT_MESSAGES, LIMIT_MAILS };
/** Tests run their own push services. */
const PUSH = { PUSH_ALLOWED_HOSTS: '127.0.0.1' };
/** The demo's secrets were encrypted with this key. */
const SECRETS = { ENCRYPTION_KEY: TEST_SECRETS.encryptionKey };

const NAMES = ['WEB', 'API', 'ADMIN', 'STORAGE'] as const;

/**
 * Starts the whole platform like `npm start`, with its own ports, folder, and database, which contain the demo as if this were
 * not the first start. A file without settings of its own shares a stack: `useRealStack` (shared-stack.ts).
 * @param without processes that the tests of the file never use; each takes more than a second of CPU time to start.
 * @param atEnd registers the function that stops the platform, by default after the tests of the file.
 */
export async function startRealStack(
  settings: Record<string, string> = {},
  without: readonly ('admin' | 'worker')[] = [],
  atEnd: (end: () => Promise<void>) => void = after,
): Promise<RealStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'real-stack-'));
  const database = `stack_${process.pid}_${randomBytes(4).toString('hex')}`;
  await cloneDatabase(DEMO_TEMPLATE, database);
  await cp(demoFolder(), join(dataDir, 'storage'), { recursive: true });
  const databaseUrl = serverUrl(database);
  const { everything, api, admin, worker } = roleAddresses(database);
  const roles = {
    DATABASE_URL: everything,
    MIGRATION_DATABASE_URL: databaseUrl,
    API_DATABASE_URL: api,
    ADMIN_DATABASE_URL: admin,
    WORKER_DATABASE_URL: worker,
  };
  const ports = await freePorts(NAMES.length);
  const addresses = Object.fromEntries(
    NAMES.flatMap((name, at) => [
      [`${name}_PORT`, String(ports[at])],
      [`${name}_URL`, `http://localhost:${ports[at]}`],
    ]),
  );
  const env = {
    ...process.env,
    ...LIMITS,
    ...PUSH,
    ...addresses,
    DATA_DIR: dataDir,
    ...SECRETS,
    ...roles,
    ...settings,
  };
  const child = spawn(process.execPath, [START, ...without.map((name) => `--no-${name}`)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pool = createPool({ url: databaseUrl, name: 'test', max: 2 });
  atEnd(async () => {
    await stop(child);
    await pool.end();
    await withServer((server) => server.query(`drop database if exists "${database}" with (force)`));
    await rm(dataDir, { recursive: true, force: true });
  });
  await untilReady(child, join(dataDir, 'start.log'));
  const url = (name: string) => `http://localhost:${addresses[`${name}_PORT`]}`;
  const urls = { webUrl: url('WEB'), apiUrl: url('API'), adminUrl: url('ADMIN'), storageUrl: url('STORAGE') };
  return { ...urls, dataDir, databaseUrl, pool };
}

/** Resolves when the platform prints that it is ready. If it ends first or takes too long, the error contains its output. */
async function untilReady(child: ChildProcess, log: string): Promise<void> {
  const file = createWriteStream(log);
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    const take = (chunk: Buffer) => {
      file.write(chunk);
      output += chunk.toString();
      if (/\bready\b/.test(output)) resolve();
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
  });
  await within(READY_WITHIN_MS, ready, 'npm start did not print that it is ready.').catch((error) => {
    throw new Error(`${error.message}\n${output}`);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  try {
    await within(END_WITHIN_MS, ended, 'npm start did not end after SIGTERM.');
  } finally {
    child.kill('SIGKILL');
  }
}
