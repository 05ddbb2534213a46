import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { acquireLock, findHolder, withLock } from './lock.mjs';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
after(() => rmSync(folder, { recursive: true }));

/** The time to answer is long, because six processes that start at once are slow and must not count as stopped. */
const TAKE = `
  const { acquireLock } = await import(${JSON.stringify(new URL('./lock.mjs', import.meta.url).href)});
  process.stdout.write('release' in (await acquireLock(process.argv[1], undefined, 30_000)) ? 'taken' : 'held');
  process.stdin.resume();`;

/**
 * Starts a process that tries to take the lock, reports the result, and stays until its input ends.
 * @param {string} path
 */
async function contend(path) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', TAKE, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [answer] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(60_000) });
  return { child, answer: String(answer) };
}

test('a lock has one holder, whom others can find, and is free after its release', async () => {
  const path = join(folder, 'one');
  let ending = false;
  const lock = await acquireLock(path, () => ending);
  assert.ok('release' in lock);
  const second = await acquireLock(path);
  assert.ok('holder' in second);
  assert.deepEqual([second.holder.pid, second.holder.ending], [process.pid, false]);
  ending = true;
  assert.equal((await findHolder(path))?.ending, true);
  lock.release();
  await second.holder.gone;
  assert.deepEqual(readdirSync(path), []);
  assert.equal(await findHolder(path), null);
});

test('a lock of a process that was killed is free at once, and the next holder learns that it was left', async () => {
  const path = join(folder, 'killed');
  const { child } = await contend(path);
  const attempt = await acquireLock(path);
  assert.ok('holder' in attempt);
  child.kill('SIGKILL');
  await attempt.holder.gone;
  const lock = await acquireLock(path);
  assert.ok('release' in lock && lock.wasLeft);
  assert.equal(readdirSync(path).length, 1);
  lock.release();
});

test('a stopped process keeps its lock', async () => {
  const path = join(folder, 'stopped');
  const { child } = await contend(path);
  child.kill('SIGSTOP');
  const attempt = await acquireLock(path);
  assert.ok('holder' in attempt);
  assert.deepEqual([attempt.holder.pid, attempt.holder.ending], [child.pid, false]);
  child.kill('SIGKILL');
  await attempt.holder.gone;
});

test('a lock is free when another program has its port, with anything else in the folder', async () => {
  const path = join(folder, 'damaged');
  const gone = spawn(process.execPath, ['-e', '']);
  await once(gone, 'exit');
  const other = createServer((socket) => socket.end('220 mail.example\n')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : 0;
  mkdirSync(path);
  for (const name of [`0000.${gone.pid}.${port}`, '0000.1.1', 'nothing']) writeFileSync(join(path, name), '');
  const lock = await acquireLock(path);
  assert.ok('release' in lock);
  lock.release();
  other.close();
});

test('of many processes that find an abandoned lock at once, one gets it', async () => {
  const path = join(folder, 'many');
  mkdirSync(path);
  writeFileSync(join(path, '0000.1.1'), '');
  const contenders = await Promise.all(Array.from({ length: 6 }, () => contend(path)));
  for (const { child } of contenders) child.stdin.end();
  assert.deepEqual(contenders.map(({ answer }) => answer).sort(), ['held', 'held', 'held', 'held', 'held', 'taken']);
});

test('withLock runs pieces of work one after another', async () => {
  const path = join(folder, 'queue');
  let inside = 0;
  const work = async () => {
    inside += 1;
    assert.equal(inside, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    inside -= 1;
  };
  await Promise.all([1, 2, 3].map(() => withLock(path, work, () => {})));
});
