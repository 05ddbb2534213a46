import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { ROOT } from './start-process.ts';

/** Runs a process that executes this code once it is ready. @returns its exit code, and the lines of its log. */
async function run(work: string): Promise<{ code: number; lines: { level: number; msg: string }[] }> {
  const code = `
    import { createLog } from './log.ts';
    import { runUntilStopped } from './process.ts';
    setImmediate(() => { ${work} });
    await runUntilStopped({ name: 'example', log: createLog('example'), close: async () => {} });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: join(ROOT, 'lib'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return {
    code: exitCode,
    lines: output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

test('[PROCESS-3] an exception and a rejection that were not caught leave one line each, and exit code 1', async () => {
  for (const fault of [`throw new Error('a fault')`, `Promise.reject(new Error('a fault'))`]) {
    const { code, lines } = await run(fault);
    assert.equal(code, 1);
    // The last line is written synchronously, possibly before an earlier one that is still buffered.
    assert.deepEqual(lines.map(({ level, msg }) => `${level} ${msg}`).sort(), ['30 example is ready', '60 uncaught exception']);
  }
});
