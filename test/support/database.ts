import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { ProcessRole } from '@case-platform/db/access';
import { createDatabase, createPool, type Database } from '@case-platform/lib/database';
import pg from 'pg';

/** These are fixed in tests, so that every process can decrypt the values in the template. */
export const TEST_SECRETS = {
  encryptionKey: 'encryption-key-of-the-tests-32-bytes-long',
  masterApiKey: 'master-api-key-of-the-tests-32-bytes-long',
};
export const TEMPLATE = 'case_platform_template';
/** Where a test is not about a time limit, it waits this long, because a busy machine answers late. */
export const PATIENCE_MS = 60_000;
/** A template with the whole demo. Its files are in `demoFolder()`. */
export const DEMO_TEMPLATE = 'case_platform_demo_template';

export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  db: Database;
  /** The database as a process connects to it. Without it, processes connect like the test does. */
  inRole?(process: ProcessRole): TestDatabase;
}

/** The address of a database on the tests' server, which `npm test` starts. */
export function serverUrl(database: string): string {
  const base = process.env.TEST_DATABASE_URL;
  if (base === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests by `npm test -- FILE`.');
  const url = new URL(base);
  url.pathname = `/${database}`;
  return url.href;
}

/**
 * The address of a database in the role of a process, or in the shared role. The roles own nothing and are created with the
 * template.
 */
export function applicationUrl(database: string, process?: ProcessRole): string {
  const url = new URL(serverUrl(database));
  url.username = `case_platform_${process ?? 'app'}`;
  url.password = 'password-of-the-tests';
  return url.href;
}

export function roleAddresses(database: string): Record<ProcessRole | 'everything', string> {
  const of = (process: ProcessRole) => applicationUrl(database, process);
  return { everything: applicationUrl(database), api: of('api'), admin: of('admin'), worker: of('worker') };
}

/** The folder with the files of `DEMO_TEMPLATE`. */
export function demoFolder(): string {
  return join(tmpdir(), 'demo');
}

/** Runs statements that belong to no database, such as creating one. */
export async function withServer<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: serverUrl('postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Creates an empty database, as an operator starts with, or a copy of a template without connections.
 * @returns the addresses for its owner and for the role of the applications.
 */
export async function createEmptyDatabase(template?: string): Promise<{ ownerUrl: string; url: string }> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  if (template === undefined) await withServer((server) => server.query(`create database "${name}"`));
  else await cloneDatabase(template, name);
  after(() => withServer((server) => server.query(`drop database if exists "${name}" with (force)`)));
  return { ownerUrl: serverUrl(name), url: applicationUrl(name) };
}

/** Runs VACUUM ANALYZE as the owner. For other roles PostgreSQL skips a table with only a warning. */
export async function vacuumAnalyze({ url }: { url: string }, ...tables: string[]): Promise<void> {
  const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
  await owner.connect();
  await owner.query(`vacuum analyze ${tables.join(', ')}`);
  await owner.end();
}

/** Clones one database at a time, because PostgreSQL rejects copying a template that another session is copying. */
export async function cloneDatabase(template: string, name: string): Promise<void> {
  await withServer(async (server) => {
    await server.query('select pg_advisory_lock(7214010004)');
    await server.query(`create database "${name}" template "${template}" strategy file_copy`);
  });
}

/**
 * Creates a migrated database with the demo's people and cases, or with the whole demo, and drops it after the tests of the file.
 * The file fails when the database refused a right to a process.
 * @param options.connections the most connections of each role. Three let commands wait for each other. Each reads the catalogs
 *   and plans every statement by itself.
 */
export async function createTestDatabase(template = TEMPLATE, { connections = 3 } = {}): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await cloneDatabase(template, name);
  const pools: pg.Pool[] = [];
  const refused: string[] = [];
  const open = (url: string): TestDatabase => {
    const pool = createPool({
      url,
      name: 'test',
      max: connections,
      connectWithinMs: PATIENCE_MS,
      limitMs: PATIENCE_MS,
    });
    pools.push(pool);
    pool.on('connect', (client) =>
      client.on('notice', ({ message = '' }) => void (/^permission denied/.test(message) && refused.push(message))),
    );
    return { url, pool, db: createDatabase(pool) };
  };
  const roles = new Map<ProcessRole, TestDatabase>();
  const inRole = (role: ProcessRole) => {
    const roleDatabase = roles.get(role) ?? open(applicationUrl(name, role));
    if (!roles.has(role)) noteRefusals(roleDatabase.pool, role, refused);
    roles.set(role, roleDatabase);
    return roleDatabase;
  };
  after(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await withServer((server) => server.query(`drop database if exists "${name}" with (force)`));
  });
  // This runs at the exit, so that everything else is still cleaned up.
  process.once('exit', () => {
    if (refused.length === 0) return;
    process.exitCode = 1;
    process.stderr.write(`The database refused, see db/access.ts:\n${[...new Set(refused)].join('\n')}\n`);
  });
  return { ...open(applicationUrl(name)), inRole };
}

/** Records every right that the database refuses to a role, even if the caller hides the error. */
function noteRefusals(pool: pg.Pool, role: string, refused: string[]): void {
  const note = (error?: { code?: string; message: string } | null) => {
    if (error?.code === '42501') refused.push(`${role}: ${error.message}`);
  };
  pool.on('connect', (client) => {
    const run = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const done = args.at(-1);
      if (typeof done !== 'function') {
        const answer = run(...args) as Promise<unknown>;
        answer.catch(note);
        return answer;
      }
      return run(...args.slice(0, -1), (error: Error | null, ...rest: unknown[]) => {
        note(error);
        done(error, ...rest);
      });
    }) as typeof client.query;
  });
}
