import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readImports } from './import-graph.mjs';
import { testEnvironment } from './test-environment.mjs';
import { selectTests } from './test-selection.mjs';

test('without arguments every test of the checkout, and none of its packages', () => {
  const { everything, files } = selectTests([]);
  assert.ok(everything);
  assert.ok(files.includes('scripts/test/test-selection.test.mjs'));
  assert.ok(files.every((file) => !file.includes('node_modules') && !file.includes('.next')));
});

test('named files and folders alone, with options for node', () => {
  const selection = selectTests(['scripts/start/settings.test.mjs', '--test-name-pattern', 'ports', '--test-only']);
  assert.deepEqual(selection.files, ['scripts/start/settings.test.mjs']);
  assert.deepEqual(selection.options, ['--test-name-pattern=ports', '--test-only']);
  assert.deepEqual([selection.everything, selection.needsDatabase, selection.needsBrowser], [false, false, false]);
  assert.ok(selectTests(['scripts']).files.length > 1);
});

test('a database is brought to whatever looks into one, wherever its file lies', () => {
  assert.equal(selectTests(['lib/idempotency.test.ts']).needsDatabase, true);
  assert.equal(selectTests(['lib/sql.test.ts']).needsDatabase, false);
});

test('whoever can share a platform does', () => {
  const { files, sharingFiles } = selectTests(['test/web']);
  const imports = readImports();
  const reaches = (/** @type {string} */ file) =>
    [file, ...(imports.get(file) ?? [])].some((one) => imports.get(one)?.has('test/support/stack/shared-stack.ts'));
  assert.ok(sharingFiles.length > 5);
  assert.deepEqual(sharingFiles, files.filter(reaches));
});

test('the order of the tests is as written, or another one each time, or that of a seed', () => {
  assert.equal(selectTests(['scripts']).seed, null);
  const seeds = Array.from({ length: 20 }, () => selectTests(['scripts', '--test-randomize']).seed);
  assert.ok(new Set(seeds).size > 1 && seeds.every(Number.isInteger));
  for (const given of [
    ['--test-random-seed=42'],
    ['--test-random-seed', '42'],
    ['--test-randomize', '--test-random-seed=42'],
  ]) {
    const { seed, options } = selectTests(['scripts', ...given]);
    assert.deepEqual([seed, options], [42, []]);
  }
  assert.throws(() => selectTests(['scripts', '--test-random-seed=x']), /takes a whole number/);
});

test('--no-browser takes exactly the browser tests away', () => {
  const all = selectTests([]);
  const { files, leftOut, needsBrowser, noBrowser } = selectTests(['--no-browser']);
  assert.ok(noBrowser && !needsBrowser);
  assert.deepEqual(leftOut, all.browserFiles);
  assert.deepEqual([...files, ...leftOut].sort(), [...all.files].sort());
});

test('a path without tests is refused', () => {
  assert.throws(() => selectTests(['docs']), { message: 'There is no test in docs.' });
  assert.throws(() => selectTests(['nowhere.test.ts']), { message: 'There is no test in nowhere.test.ts.' });
});

test("tests see none of the platform's settings, and all the rest: the store to be tested as well", () => {
  const settings = {
    DATABASE_URL: 'x',
    JWT_SECRET_FILE: 'x',
    S3_BUCKET: 'x',
    WEB_URL: 'x',
    HOST: 'x',
    LIMIT_LOGINS: 'x',
  };
  const outer = { PATH: '/bin', S3_TEST_ENDPOINT: 'z', S3_TEST_SECRET_ACCESS_KEY: 'z', ...settings };
  const { NODE_ENV, NEXT_TELEMETRY_DISABLED, ...rest } = testEnvironment(outer, { TEST_DATABASE_URL: 'y' });
  assert.deepEqual(rest, {
    ...{ PATH: '/bin', TEST_DATABASE_URL: 'y' },
    ...{ S3_TEST_ENDPOINT: 'z', S3_TEST_SECRET_ACCESS_KEY: 'z' },
  });
  assert.equal(NODE_ENV, 'test');
});
