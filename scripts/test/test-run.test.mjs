import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pinnedNode } from '../checkout/install.mjs';
import { runCommand } from '../checkout/run-command.mjs';
import { FILE_LIMIT, Report } from './test-run.mjs';

test('two runs side by side are reported as one: their lines, the sums, then what failed in either', () => {
  /** @type {string[]} */
  const shown = [];
  const report = new Report((line) => shown.push(line));
  const [first, second] = [report.part(), report.part()];
  second.take('✔ second');
  first.take('✔ first');
  assert.deepEqual(shown, ['✔ first'], 'one after the other');
  for (const [part, name] of /** @type {const} */ ([
    [second, 'second'],
    [first, 'first'],
  ])) {
    part.take('\u001b[34mℹ tests 3\u001b[39m');
    part.take('ℹ fail 1');
    part.take('ℹ duration_ms 10.4');
    part.take(`✖ of the ${name}`);
    part.end();
  }
  report.close(['A note.']);
  assert.deepEqual(shown, [
    ...['✔ first', '✔ second', '\nA note.\n'],
    ...['ℹ tests 6', 'ℹ fail 2', 'ℹ duration_ms 10', '✖ of the first', '✖ of the second'],
  ]);
});

test('files that share a process find everything in node:test that a file alone finds', async () => {
  const [shared, alone] = await Promise.all([import('./file-suite.mjs'), import('node:test')]);
  const namesOf = (/** @type {object} */ module) => Object.keys(module).filter((name) => name !== 'module.exports');
  assert.deepEqual(
    namesOf(alone).filter((name) => !(name in shared)),
    [],
  );
});

test('a file whose hook waits for ever is ended, and named', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hangs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  // The short limit begins with the hook: however long loading takes, it is the hook that is ended.
  const hangs = `import { after, test } from 'node:test';
    import { limitFile } from '${new URL('test-file-limit.mjs', import.meta.url)}';
    after(() => {
      process.env.TEST_FILE_WITHIN_MS = '1000';
      limitFile();
      return new Promise((never) => setInterval(never.toString, 60_000));
    });
    test('ends', () => {});`;
  writeFileSync(join(folder, 'hangs.test.mjs'), hangs);
  const { NODE_TEST_CONTEXT: _inner, ...env } = process.env;
  const run = await runCommand(process.execPath, ['--test', '--test-reporter=spec', FILE_LIMIT, 'hangs.test.mjs'], {
    cwd: folder,
    env,
  });
  assert.equal(run.code, 1);
  assert.match(run.output, /hangs\.test\.mjs did not end within 1 s\. Still open: .*Timeout/);
});

test('files that share a process have hooks and an environment of their own, and one that cannot be loaded fails alone', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shared-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const uses = `import { after, beforeEach, test } from 'node:test';`;
  const files = {
    'first.test.mjs': `${uses}
      process.env.OF_THE_FIRST = 'set';
      beforeEach(() => console.log('before each of the first'));
      after(() => console.log('the first is over'));
      test('one', () => console.log('one runs'));`,
    'broken.test.mjs': `throw new Error('cannot be loaded');`,
    'second.test.mjs': `${uses}
      console.log('the second is loaded, with', process.env.OF_THE_FIRST);
      test('two', () => console.log('two runs'));`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, 'taken'));
  writeFileSync(join(folder, 'files.json'), JSON.stringify(Object.keys(files).map((name) => join(folder, name))));
  const { NODE_TEST_CONTEXT: _inner, ...env } = process.env;
  const script = fileURLToPath(new URL('several-files.mjs', import.meta.url));
  const run = await runCommand(pinnedNode(), ['--test', '--test-reporter=spec', script], {
    env: { ...env, TEST_QUEUE: folder },
  });
  assert.equal(run.code, 1);
  const written = run.output.split('\n').filter((line) => /^(before|the|one|two)/.test(line));
  assert.deepEqual(written, [
    ...['before each of the first', 'one runs', 'the first is over'],
    ...['the second is loaded, with undefined', 'two runs'],
  ]);
  assert.match(run.output, /✖ is loaded.*cannot be loaded/s);
  assert.match(run.output, /ℹ tests 3\n.*ℹ pass 2\nℹ fail 1/s);
});
