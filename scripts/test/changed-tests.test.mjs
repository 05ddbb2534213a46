import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listSources, ROOT } from '../checkout/checkout.mjs';
import { AREAS } from './areas.mjs';
import { findTestsOf } from './changed-tests.mjs';
import { selectTests } from './test-selection.mjs';

const { files: TESTS, heavyFiles } = selectTests([]);
const testsOf = (/** @type {string[]} */ ...changed) => findTestsOf(changed, TESTS, (file) => heavyFiles.includes(file));

test('a change of a module runs the tests of its area, beside the code and from outside, without a browser', () => {
  const { files, areas, everywhere } = testsOf('modules/messaging/route-message.ts');
  assert.deepEqual([areas, everywhere], [['messaging'], false]);
  assert.ok(files.includes('test/api/messaging/messages.test.ts'));
  assert.ok(files.includes('test/architecture.test.ts'));
  assert.ok(!files.some((file) => file.startsWith('test/web/') || file.startsWith('test/api/disbursements')));
  assert.ok(files.length < TESTS.length / 4, `${files.length} of ${TESTS.length}`);
  assert.ok(testsOf('modules/banking/nacha/records.ts').files.includes('modules/banking/nacha/write-nacha-file.test.ts'));
});

test('a change of the web frontend runs browser tests of its area', () => {
  const { files, web } = testsOf('apps/web/disbursements/disbursement-row.tsx');
  assert.ok(web);
  assert.ok(files.includes('test/web/money.test.ts'));
  assert.ok(!files.includes('test/web/push.test.ts'));
});

test('a change of shared code runs every test without a browser, and a changed test runs by itself', () => {
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

test('every folder of code belongs to an area, and every path of an area exists', () => {
  const paths = new Set(Object.values(AREAS).flat());
  assert.deepEqual(
    [...paths].filter((path) => listSources(path).length === 0),
    [],
  );
  const folders = ['modules', 'apps/api', 'apps/admin', 'apps/web'].flatMap((place) =>
    readdirSync(join(ROOT, place), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(node_modules|\.)/.test(entry.name))
      .map((entry) => `${place}/${entry.name}`),
  );
  assert.deepEqual(
    folders.filter((folder) => !paths.has(folder)),
    [],
  );
  const outside = TESTS.filter((file) => /^test\/(api|admin|worker|storage|web)\//.test(file));
  const withoutArea = outside.filter((file) => ![...paths].some((path) => file === path || file.startsWith(`${path}/`)));
  assert.deepEqual(withoutArea, ['test/admin/limits.test.ts', 'test/admin/plans.test.ts']);
});
