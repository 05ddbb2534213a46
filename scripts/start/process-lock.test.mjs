import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { processIdentity } from './process-identity.mjs';
import { takeLock, withLock } from './process-lock.mjs';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
after(() => rmSync(folder, { recursive: true }));

test('one holder at a time, known to the others, free after its release', () => {
  const path = join(folder, 'one');
  const lock = takeLock(path, { note: 7 });
  assert.ok('release' in lock);
  const second = takeLock(path);
  assert.ok('holder' in second);
  assert.deepEqual([second.holder.pid, second.holder.note], [process.pid, 7]);
  lock.release();
  assert.ok(!existsSync(path));
});

test('its holder adds to the note, and it is free after its release all the same', () => {
  const path = join(folder, 'told');
  const lock = takeLock(path, { note: 7 });
  assert.ok('release' in lock);
  lock.tell({ ending: true });
  const second = takeLock(path);
  assert.ok('holder' in second);
  assert.deepEqual([second.holder.pid, second.holder.note, second.holder.ending], [process.pid, 7, true]);
  lock.release();
  assert.ok(!existsSync(path));
  lock.tell({ ending: true });
  assert.ok(!existsSync(path));
});

test('a lock of a process that is gone is free, whoever has its number now', () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  for (const holder of [
    { pid: gone, identity: `${gone} 1 some-boot` },
    { pid: process.pid, identity: `${process.pid} 1 another-boot` },
  ]) {
    const path = join(folder, `stale-${holder.pid}`);
    writeFileSync(path, JSON.stringify(holder));
    assert.ok('release' in takeLock(path));
  }
});

test('a file that holds no lock at all is replaced', () => {
  const path = join(folder, 'damaged');
  writeFileSync(path, '{"pid":');
  assert.ok('release' in takeLock(path));
});

test('of many processes that find a stale lock at once, one gets it', async () => {
  const path = join(folder, 'many');
  writeFileSync(path, JSON.stringify({ pid: 1, identity: 'long gone' }));
  const script = `
    const { takeLock } = await import(${JSON.stringify(new URL('./process-lock.mjs', import.meta.url).href)});
    process.stdout.write('release' in takeLock(process.argv[1]) ? 'taken' : 'held');
    process.stdin.resume();`;
  const contenders = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script, path], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const answers = await Promise.all(
    contenders.map(({ stdout }) => once(stdout, 'data', { signal: AbortSignal.timeout(60_000) }).then(String)),
  );
  for (const { stdin } of contenders) stdin.end();
  assert.deepEqual(answers.sort(), ['held', 'held', 'held', 'held', 'held', 'taken']);
});

test('withLock lets works follow each other', async () => {
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

test('an identity stays the same and ends with its process', async () => {
  assert.equal(processIdentity(process.pid), processIdentity(process.pid));
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  assert.notEqual(processIdentity(child.pid ?? 0), null);
  child.stdin.end();
  await new Promise((resolve) => child.on('exit', resolve));
  assert.equal(processIdentity(child.pid ?? 0), null);
});
