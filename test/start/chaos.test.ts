import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { ROOT } from './start-process.ts';

const SEED = '7';
/** A run takes about twenty seconds, but a busy machine needs much longer to start six processes. */
const WITHIN_MS = 300_000;

test('[MESSAGE-4] no acknowledged message is lost and each notification arrives, although any process is killed', {
  timeout: WITHIN_MS,
}, async (t) => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    const args = ['chaos/chaos.ts', '--seed', SEED, '--once'];
    execFile(process.execPath, args, { cwd: ROOT, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr });
    });
  });
  for (const line of output.trim().split('\n')) t.diagnostic(line);
  assert.equal(code, 0, output);
  for (const fault of [
    'kill -9 api',
    'kill -9 worker',
    'kill -9 publisher',
    'kill Redis',
    'database, immediate',
    'promote the standby',
    'providers hang',
    'providers fail',
  ]) {
    assert.match(output, new RegExp(` s {2}${fault}, after \\d+ messages`));
  }
});
