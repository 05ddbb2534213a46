import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../checkout/run-command.mjs';
import { FILE_LIMIT, Report } from './test-run.mjs';

test('two runs are reported as one: their lines, the sums, then what failed in either', () => {
  /** @type {string[]} */
  const shown = [];
  const report = new Report((line) => shown.push(line));
  for (const name of ['first', 'second']) {
    report.begin();
    report.take(`✔ ${name}`);
    report.take('\u001b[34mℹ tests 3\u001b[39m');
    report.take('ℹ fail 1');
    report.take('ℹ duration_ms 10.4');
    report.take(`✖ of the ${name}`);
  }
  report.close(['A note.']);
  assert.deepEqual(shown, [
    ...['✔ first', '✔ second', '\nA note.\n'],
    ...['ℹ tests 6', 'ℹ fail 2', 'ℹ duration_ms 21', '✖ of the first', '✖ of the second'],
  ]);
});

test('a file whose hook waits for ever is ended, and named', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hangs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const hangs = `import { after, test } from 'node:test';
    after(() => new Promise((never) => setInterval(never.toString, 60_000)));
    test('ends', () => {});`;
  writeFileSync(join(folder, 'hangs.test.mjs'), hangs);
  const { NODE_TEST_CONTEXT: _inner, ...env } = process.env;
  const run = await runCommand(process.execPath, ['--test', '--test-reporter=spec', FILE_LIMIT, 'hangs.test.mjs'], {
    cwd: folder,
    env: { ...env, TEST_FILE_WITHIN_MS: '1000' },
  });
  assert.equal(run.code, 1);
  assert.match(run.output, /hangs\.test\.mjs did not end within 1 s\. Still open: .*Timeout/);
});
