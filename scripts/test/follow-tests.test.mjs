import assert from 'node:assert/strict';
import { executionAsyncId } from 'node:async_hooks';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { runCommand } from '../checkout/run-command.mjs';

const FOLLOW_TESTS = new URL('follow-tests.mjs', import.meta.url);

/** Has errors that no test catches, in a test, in a suite's test, and after the end of a test. */
const FAULTY = `
import { describe, test } from 'node:test';
const later = (text, ms) => setTimeout(() => { throw new Error(text); }, ms);
test('throws later', async () => { later('thrown', 1); await new Promise(() => {}); });
describe('a suite', () => {
  test('passes', () => {});
  test('rejects', async () => { void Promise.reject(new Error('rejected')); await new Promise(() => {}); });
});
test('ends before its error', () => { later('late', 50); });
`;

test('a hook that a test declares after waiting runs at the end of this test', async (t) => {
  /** @type {string[]} */
  const order = [];
  await t.test('first', async () => {
    await turn();
    after(() => order.push('hook'));
    await turn();
    order.push('first');
  });
  order.push('next');
  assert.deepEqual(order, ['first', 'hook', 'next']);
});

test('the runner follows no promise', async () => {
  await null;
  const id = executionAsyncId();
  await null;
  assert.equal(executionAsyncId(), id, 'promises have numbers of their own only while a hook follows them');
});

test('an error that nothing catches fails the test that caused it, and after its end the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'follow-tests-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'faulty.test.mjs');
  writeFileSync(file, FAULTY);
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  assert.ok(NODE_TEST_CONTEXT);
  const { code, output } = await runCommand(process.execPath, [`--import=${FOLLOW_TESTS}`, '--test', file], { env });
  assert.equal(code, 1, output);
  for (const line of ['✖ throws later', '✔ passes', '✖ rejects', '✔ ends before its error', 'ℹ pass 2', 'ℹ fail 2']) {
    assert.ok(output.includes(line), `${line} is missing in\n${output}`);
  }
  assert.match(output, /Test "ends before its error" .* generated asynchronous activity after the test ended/);
});
