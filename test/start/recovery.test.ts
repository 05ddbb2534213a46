import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { findHolder } from '../../scripts/checkout/lock.mjs';
import { kill, makeDataDir, makeSettings, processesOf, type Started, start, until } from './start-process.ts';

const dataDir = makeDataDir();
const settings = await makeSettings(dataDir);
const args = ['--no-web', '--no-demo'];
/** Fewer layers are enough when all layers are treated the same. */
const fewest = [...args, '--no-admin', '--no-worker'];
let rows = 0;

/** Starts the platform, adds a row, and checks that the rows of all earlier starts are there. */
async function startAndCount(by: 'npm' | 'node' = 'npm', layers = fewest): Promise<Started> {
  const started = start(settings, layers, by);
  await started.ready;
  rows += 1;
  const client = new pg.Client({ connectionString: databaseUrl() });
  client.on('error', () => {});
  await client.connect();
  await client.query('create table if not exists start (id integer)');
  await client.query('insert into start values (1)');
  assert.equal((await client.query('select * from start')).rowCount, rows);
  await client.end();
  return started;
}

function databaseUrl(): string {
  const password = readFileSync(join(dataDir, 'postgres.password'), 'utf8');
  const [, , , port] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  return `postgres://postgres:${password}@127.0.0.1:${port}/case_platform`;
}

const supervisor = () => findHolder(join(dataDir, 'supervisor'));

/** Returns the process id of a layer, or null while it is not running. */
async function layer(name: string): Promise<number | null> {
  return (await processesOf(dataDir, join('apps', name, 'main.ts')))[0] ?? null;
}

/** Returns the process id of the database server, or null until the server has written it. */
function postmaster(): number | null {
  const note = join(dataDir, 'postgres', 'postmaster.pid');
  return existsSync(note) ? Number.parseInt(readFileSync(note, 'utf8'), 10) || null : null;
}

async function answers(port: string | undefined): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

const untilGone = () => until('every process is gone', async () => (await processesOf(dataDir)).length === 0);

/** Sends a signal to the supervisor, and checks that it exits with 0 once everything has ended. */
async function endsBy(signal: 'SIGINT' | 'SIGTERM', { process: started, ended, errors }: Started): Promise<void> {
  started.kill(signal);
  assert.equal(await ended, 0);
  assert.deepEqual(await processesOf(dataDir), []);
  assert.equal(errors(), '');
}

test('[START-3, START-2] a second platform on the same DATA_DIR is rejected; SIGINT ends everything of the first', async () => {
  const first = await startAndCount('node', args);
  const second = start(await makeSettings(dataDir), args);
  assert.equal(await second.ended, 1);
  assert.match(second.errors(), /^DATA_DIR: .* is in use by another npm start/);
  await endsBy('SIGINT', first);
});

test('[START-2, START-3] a layer and the database are started again when they die; a start beside one that is ending waits for it', async () => {
  const { process: npm } = await startAndCount('npm', args);
  const before = await layer('api');
  assert.ok(before);
  kill(before);
  await until('another API answers', async () => {
    const now = await layer('api');
    return now !== null && now !== before && (await answers(settings.API_PORT));
  });
  const server = postmaster();
  assert.ok(server);
  kill(server);
  // The moment without an answer can be too short to observe, so this waits for the new process.
  await until('another database', () => postmaster() !== null && postmaster() !== server);
  await until('both applications answer', async () => (await answers(settings.API_PORT)) && (await answers(settings.ADMIN_PORT)));
  npm.kill('SIGTERM');
  await until('it is ending', async () => (await supervisor())?.ending !== false);
  await endsBy('SIGTERM', await startAndCount('node'));
});

/** Each start follows a kill at once and must find every row that was written. */
test('[START-2] after kill -9 of npm, of the supervisor, and of every process, all data is there at the next start; Ctrl-C, which reaches npm as well, ends everything', async () => {
  const { process: npm } = await startAndCount();
  kill(npm.pid);
  await startAndCount();
  kill((await supervisor())?.pid);
  await startAndCount();
  for (const pid of await processesOf(dataDir)) kill(pid);
  const { process: last } = await startAndCount();
  // With 0 the signal would go to the group of this process.
  assert.ok(last.pid);
  process.kill(-last.pid, 'SIGINT');
  await untilGone();
});
