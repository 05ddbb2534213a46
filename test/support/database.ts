import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createDatabase, createPool, type Database } from '@case-platform/lib/database';
import pg from 'pg';

/** Fixed in tests, so that the template's encrypted values open in every process. */
export const TEST_SECRETS = {
  encryptionKey: 'encryption-key-of-the-tests-32-bytes-long',
  masterApiKey: 'master-api-key-of-the-tests-32-bytes-long',
};
export const TEMPLATE = 'case_platform_template';
/** With the whole demo in it; its files lie in `demoFolder()`. */
export const DEMO_TEMPLATE = 'case_platform_demo_template';

export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  db: Database;
}

/** The address of a database on the tests' server, which `npm test` starts. */
export function serverUrl(database: string): string {
  const base = process.env.TEST_DATABASE_URL;
  if (base === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests by `npm test -- FILE`.');
  const url = new URL(base);
  url.pathname = `/${database}`;
  return url.href;
}

/** The address of a database as the applications' role, which owns nothing; made with the template. */
export function applicationUrl(database: string): string {
  const url = new URL(serverUrl(database));
  url.username = 'case_platform_app';
  url.password = 'password-of-the-tests';
  return url.href;
}

/** Where the files of `DEMO_TEMPLATE` lie. */
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

/** A database with nothing in it, as an operator begins with; the addresses of its owner and of the applications' role. */
export async function createEmptyDatabase(): Promise<{ ownerUrl: string; url: string }> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await withServer((server) => server.query(`create database "${name}"`));
  after(() => withServer((server) => server.query(`drop database if exists "${name}" with (force)`)));
  return { ownerUrl: serverUrl(name), url: applicationUrl(name) };
}

/** One clone at a time: PostgreSQL refuses to copy a template that another session is copying. */
export async function cloneDatabase(template: string, name: string): Promise<void> {
  await withServer(async (server) => {
    await server.query('select pg_advisory_lock(7214010004)');
    await server.query(`create database "${name}" template "${template}" strategy file_copy`);
  });
}

/** A migrated database of one's own with the demo's people and cases in it; gone after the file's tests. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await cloneDatabase(TEMPLATE, name);
  const url = applicationUrl(name);
  const pool = createPool({ url, name: 'test', max: 20 });
  const db = createDatabase(pool);
  after(async () => {
    await pool.end();
    await withServer((server) => server.query(`drop database if exists "${name}" with (force)`));
  });
  return { url, pool, db };
}
