import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

/** A process that does not end would outlive its test. */
const PATIENCE_MS = 60_000;

/** How a process ended, and the lines that it wrote: of its log, only the message. */
interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  lines: string[];
  sent: unknown[];
}

/**
 * Runs a process that ends as these options say, on a clock of its own: `run()` starts it, `say(line)` writes a line at once, `pass(ms)`
 * lets time pass, and `turn()` lets everything else happen that needs no time.
 * @param onLine does something to the process when it has written a line.
 * @param isSupervised whether this process is its supervisor, which is gone after the first message.
 */
async function runProcess(
  code: string,
  onLine: Record<string, (child: ChildProcess) => void> = {},
  isSupervised = false,
): Promise<Ended> {
  const program = `
    import { writeSync } from 'node:fs';
    import { mock } from 'node:test';
    const real = globalThis.setTimeout;
    mock.timers.enable({ apis: ['setTimeout'] });
    const { isStopping, runUntilStopped } = await import('./process.ts');
    const { createReadiness } = await import('./process/readiness.ts');
    const say = (line) => writeSync(1, line + '\\n');
    const write = (_entry, message) => say(message ?? _entry);
    const log = { info: write, error: write, fatal: write };
    const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const pass = async (ms) => { await turn(); mock.timers.tick(ms); await turn(); };
    const run = (options) => runUntilStopped({ name: 'example', log, close: async () => say('closed'), ...options });
    // Something that keeps the process alive, as a server does.
    const open = setInterval(() => {}, 60_000);
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    stdio: isSupervised ? ['ignore', 'pipe', 'inherit', 'ipc'] : ['ignore', 'pipe', 'inherit'],
  });
  // The timeout of spawn() would last on: it ends with an event that does not come after the channel was closed here.
  const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const sent: unknown[] = [];
  child.on('message', (message) => {
    sent.push(message);
    child.disconnect();
  });
  let seen = '';
  child.stdout?.on('data', (chunk) => {
    seen += chunk;
    for (const [line, act] of Object.entries(onLine)) {
      if (!seen.split('\n').includes(line)) continue;
      delete onLine[line];
      act(child);
    }
  });
  const [output, [exitCode, signal]] = await Promise.all([child.stdout === null ? '' : text(child.stdout), once(child, 'exit')]);
  clearTimeout(patience);
  return { code: exitCode, signal, lines: output.trim().split('\n'), sent };
}

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`[PROCESS-1] at ${signal} a process is not ready at once, and closes only after its whole time for load balancers`, async () => {
    const code = `
      const isReady = createReadiness([async () => {}], { warn() {} });
      await isReady();
      const states = async () => isStopping() + ' ' + (await isReady().then(() => 'ready', ({ message }) => message));
      say(await states());
      void run({ drainSeconds: 5, close: async () => say('closes') });
      process.once('${signal}', async () => {
        await pass(0);
        say(await states());
        await pass(4999);
        say('a millisecond is left');
        await pass(1);
      });`;
    const ended = await runProcess(code, { 'example is ready': (child) => child.kill(signal) });
    assert.deepEqual(ended.lines, [
      'false ready',
      'example is ready',
      'example is stopping',
      'true the process is stopping',
      'a millisecond is left',
      'closes',
    ]);
    assert.deepEqual([ended.code, ended.signal], [0, null]);
  });

test('[PROCESS-1] once a process is told to end, each answer is the last one of its connection', async () => {
  const code = `
    const http = await import('node:http');
    const { createLimitedServer } = await import('./http/limited-server.ts');
    const server = createLimitedServer((_request, response) => response.end(), { bodyMaxBytes: () => 0 });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const agent = new http.Agent({ keepAlive: true });
    const ask = () => new Promise((resolve) => {
      http.get({ port: server.address().port, agent }, (answer) => answer.resume().once('end', () => resolve(answer.headers.connection)));
    });
    say(await ask());
    void run({ drainSeconds: 5 });
    process.once('SIGTERM', async () => {
      await pass(0);
      say(await ask());
      await pass(5000);
    });`;
  const ended = await runProcess(code, { 'example is ready': (child) => child.kill('SIGTERM') });
  assert.deepEqual(ended.lines, ['keep-alive', 'example is ready', 'example is stopping', 'close', 'closed']);
});

test('[PROCESS-1] further signals do not end a process that is closing, and it ends only when it has closed', async () => {
  const code = `
    const closing = Promise.withResolvers();
    process.once('SIGUSR2', closing.resolve);
    void run({ close: async () => { say('closes'); await closing.promise; await turn(); say('closed'); } });
    process.once('SIGTERM', () => void pass(0));`;
  const ended = await runProcess(code, {
    'example is ready': (child) => child.kill('SIGTERM'),
    closes: (child) => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGUSR2'] as const) child.kill(signal);
    },
  });
  assert.deepEqual(ended.lines, ['example is ready', 'example is stopping', 'closes', 'closed']);
  assert.deepEqual([ended.code, ended.signal], [0, null]);
});

for (const drainSeconds of [0, 60])
  test(`[PROCESS-1] a close that hangs is cut off nine seconds after the ${drainSeconds} for load balancers, with one line and exit code 1`, async () => {
    const code = `
      void run({ drainSeconds: ${drainSeconds}, close: async () => { say('closes'); await new Promise(() => {}); } });
      process.once('SIGTERM', async () => {
        await pass(${drainSeconds * 1000});
        await pass(8999);
        say('a millisecond is left');
        await pass(1);
      });`;
    const ended = await runProcess(code, { 'example is ready': (child) => child.kill('SIGTERM') });
    assert.deepEqual(ended.lines, [
      'example is ready',
      'example is stopping',
      'closes',
      'a millisecond is left',
      'example did not close within nine seconds and is cut off',
    ]);
    assert.deepEqual([ended.code, ended.signal], [1, null]);
  });

test('[PROCESS-1] a process whose close fails does not end as if it had closed', async () => {
  const code = `
    void run({ close: async () => { throw new Error('it cannot close'); } });
    process.once('SIGTERM', () => void pass(0));`;
  const ended = await runProcess(code, { 'example is ready': (child) => child.kill('SIGTERM') });
  assert.deepEqual(ended.lines, ['example is ready', 'example is stopping', 'uncaught exception']);
  assert.equal(ended.code, 1);
});

test('[START-2] a supervised process tells its supervisor what it needs, and closes at once when that is gone', async () => {
  const code = `void run({ drainSeconds: 3600, info: { port: 4000 } });`;
  const ended = await runProcess(code, {}, true);
  assert.deepEqual(ended.sent, [{ ready: true, drain_seconds: 3600, port: 4000 }]);
  assert.deepEqual(ended.lines, ['example is ready', 'example is stopping', 'closed']);
  // Node.js can hang in its own exit, and no supervisor would end it then.
  assert.equal(ended.signal, 'SIGKILL');
});
