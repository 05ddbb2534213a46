import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listSources, ROOT } from '../checkout/checkout.mjs';
import { AREAS } from './areas.mjs';
import { findTestsOf } from './changed-tests.mjs';
import { selectTests } from './test-selection.mjs';

const { files: TESTS, heavyFiles } = selectTests([]);
const testsOf = (/** @type {string[]} */ ...changed) =>
  findTestsOf(changed, TESTS, (file) => heavyFiles.includes(file));

test('a module: its own tests and those that ask its area from outside, without a browser', () => {
  const { files, areas, everywhere } = testsOf('modules/messaging/route-message.ts');
  assert.deepEqual([areas, everywhere], [['messaging'], false]);
  assert.ok(files.includes('test/api/messaging/messages.test.ts'));
  assert.ok(files.includes('test/architecture.test.ts'));
  assert.ok(!files.some((file) => file.startsWith('test/web/') || file.startsWith('test/api/disbursements')));
  assert.ok(files.length < TESTS.length / 4, `${files.length} of ${TESTS.length}`);
});

test('tests of importers run, up to the index of the module', () => {
  const { files } = testsOf('modules/banking/nacha/records.ts');
  assert.ok(files.includes('modules/banking/nacha/write-nacha-file.test.ts'));
  assert.ok(!files.includes('modules/accounts/people/list-users.test.ts'));
});

test('a change that the web frontend shows runs browser tests', () => {
  const { files, web } = testsOf('apps/web/disbursements/disbursement-row.tsx');
  assert.ok(web);
  assert.ok(files.includes('test/web/money.test.ts'));
  assert.ok(!files.includes('test/web/push.test.ts'));
});

test('a shared file can break every area; a changed test only runs itself', () => {
  const shared = testsOf('lib/sql.ts').files;
  assert.deepEqual(
    TESTS.filter((file) => !heavyFiles.includes(file) && !shared.includes(file)),
    [],
  );
  const { files } = testsOf('test/web/money.test.ts');
  assert.deepEqual(files.sort(), [
    'test/architecture.test.ts',
    'test/house.test.ts',
    'test/style-sheets.test.ts',
    'test/tables.test.ts',
    'test/titles.test.ts',
    'test/web/money.test.ts',
  ]);
});

test('every folder of code belongs to an area, and every area names what is there', () => {
  const named = Object.values(AREAS).flatMap(({ code, tests, browser }) => [...code, ...tests, ...browser]);
  assert.deepEqual(
    named.filter((path) => listSources(path).length === 0),
    [],
  );
  const code = new Set(Object.values(AREAS).flatMap((area) => area.code));
  const folders = ['modules', 'apps/api', 'apps/admin', 'apps/web'].flatMap((place) =>
    readdirSync(join(ROOT, place), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(node_modules|\.)/.test(entry.name))
      .map((entry) => `${place}/${entry.name}`),
  );
  assert.deepEqual(
    folders.filter((folder) => !code.has(folder)),
    [],
  );
  const outside = TESTS.filter((file) => /^test\/(api|admin|worker|storage|web)\//.test(file));
  const asked = Object.values(AREAS).flatMap(({ tests, browser }) => [...tests, ...browser]);
  const alone = outside.filter((file) => !asked.some((path) => file === path || file.startsWith(`${path}/`)));
  assert.deepEqual(alone, ['test/admin/limits.test.ts', 'test/admin/plans.test.ts']);
});
