import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
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
 * @returns {Promise<{ pid: number, ended: Promise<{ code: number }> }>} once it has said something
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

test('gives exit code, what was written and each line of it', async () => {
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

test('a command that cannot be started, and one that takes too long', async () => {
  assert.equal((await runCommand('/nowhere/at-all', [])).code, 127);
  assert.equal((await runCommand(...node(WAITS), { withinMs: 200 })).code, 128);
});

test('endCommands waits for the end of all, and insists', { timeout: 30_000 }, async () => {
  const commands = await Promise.all([startAndWait(WAITS), startAndWait(IGNORES_SIGTERM)]);
  await endCommands();
  for (const { pid } of commands) assert.ok(!isAlive(pid));
});

test('a command ends with its caller, and what it has started with it, even when the caller is killed', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  // Connected as long as it runs, and it does not end by itself.
  const connects = `require('net').connect(${typeof address === 'object' ? address?.port : 0}, '127.0.0.1'); ${IGNORES_SIGTERM}`;
  const starts = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(connects)}]); ${connects}`;
  const calls = `
    const { runCommand } = await import(${JSON.stringify(new URL('./run-command.mjs', import.meta.url).href)});
    await runCommand(process.execPath, ['-e', ${JSON.stringify(starts)}], { endsWithCaller: true });`;
  const caller = spawn(process.execPath, ['--input-type=module', '-e', calls], { stdio: 'inherit' });
  const signal = AbortSignal.timeout(60_000);
  const [[first], [second]] = [
    await once(server, 'connection', { signal }),
    await once(server, 'connection', { signal }),
  ];
  const ended = [first, second].map((socket) =>
    once(
      socket.resume().on('error', () => {}),
      'close',
      { signal },
    ),
  );
  caller.kill('SIGKILL');
  await Promise.all(ended);
  server.close();
});

test('a command that ends with its caller gives its exit code and what was written all the same', async () => {
  const script = "console.log('one'); process.exitCode = 3;";
  assert.deepEqual(await runCommand(...node(script), { endsWithCaller: true }), { code: 3, output: 'one\n' });
  assert.equal((await runCommand('/nowhere/at-all', [], { endsWithCaller: true })).code, 127);
});
