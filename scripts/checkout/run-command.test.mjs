import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAlive } from './lock.mjs';
import { endCommands, runCommand } from './run-command.mjs';

/**
 * @param {string} script
 * @returns {[string, string[]]}
 */
const node = (script) => [process.execPath, ['-e', script]];
const WAITS = "process.stdout.write('waiting\\n'); setInterval(() => {}, 1000);";
const IGNORES_SIGTERM = `process.on('SIGTERM', () => {}); ${WAITS}`;

/**
 * @param {string} script
 * @returns {Promise<{ pid: number, ended: Promise<{ code: number }> }>} once it has written a line
 */
function startAndWait(script) {
  return new Promise((resolve) => {
    let pid = 0;
    const ended = runCommand(...node(script), {
      onStart: (started) => {
        pid = started ?? 0;
      },
      onLine: () => resolve({ pid, ended }),
    });
  });
}

test('returns the exit code and the output, and reports each line', async () => {
  /** @type {string[]} */
  const lines = [];
  const script = `
    console.log('one\\ntwo');
    process.stdin.on('data', (text) => console.error(String(text)));
    process.exitCode = 3;`;
  const { code, output } = await runCommand(...node(script), { input: 'three', onLine: (line) => lines.push(line) });
  assert.equal(code, 3);
  assert.deepEqual(lines, ['one', 'two', 'three']);
  assert.equal(output, 'one\ntwo\nthree\n');
});

test('a command that cannot be started gets code 127, and one that takes too long 128', async () => {
  assert.equal((await runCommand('/nowhere/at-all', [])).code, 127);
  assert.equal((await runCommand(...node(WAITS), { withinMs: 200 })).code, 128);
});

test('endCommands waits until all have ended, and kills those that ignore SIGTERM', { timeout: 30_000 }, async () => {
  const commands = await Promise.all([startAndWait(WAITS), startAndWait(IGNORES_SIGTERM)]);
  await endCommands();
  for (const { pid } of commands) assert.ok(!isAlive(pid));
});
