import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../scripts/checkout/checkout.mjs';
import { findCycles, listCode, readImports } from '../scripts/test/import-graph.mjs';

/** What keeps the house one that can be taken in at a look, held over every file that git tracks or will track. */

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT }).toString().split('\n').filter(Boolean);
const files = git('ls-files', '--cached', '--others', '--exclude-standard').filter((file) =>
  existsSync(join(ROOT, file)),
);

const code = listCode();

const MOST_FILES = 40;
/** Each only ever grows by one more of the same. */
const GROWS = ['db/migrations', 'docs/records', 'modules/notifications/email/templates'];

const MOST_LINES = 450;
/** Made from something else by npm, by `npm run generate`, by a test, or by the script beside it. */
const MADE = [
  'package-lock.json',
  'apps/api/openapi.json',
  'db/schema.sql',
  // The first schema, in one file.
  'db/migrations/0001_baseline.sql',
  'test/support/growth/large-tables.jsonl',
];

test('no import leads back to where it came from, types included', () => {
  assert.deepEqual(findCycles(readImports()), []);
});

test(`no folder has more than ${MOST_FILES} files`, () => {
  const counts = new Map<string, number>();
  for (const folder of files.map(dirname)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const crowded = [...counts].filter(([folder, count]) => count > MOST_FILES && !GROWS.includes(folder));
  assert.deepEqual(crowded, []);
});

test(`no file that people write is longer than ${MOST_LINES} lines`, () => {
  const long = files
    .filter((file) => !MADE.includes(file))
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const)
    .filter(([, text]) => !text.includes('\0') && text.split('\n').length > MOST_LINES + 1)
    .map(([file]) => file);
  assert.deepEqual(long, []);
});

test('nothing that is built is committed', () => {
  assert.deepEqual(git('ls-files', '--cached', '--ignored', '--exclude-standard'), []);
  const built = files.filter(
    (file) =>
      /(^|\/)(dist|build|out|coverage)\/|\.(min\.\w+|map|tsbuildinfo)$/.test(file) ||
      // Tailwind's compiler signs its work.
      (file.endsWith('.css') && readFileSync(join(ROOT, file), 'utf8').startsWith('/*! tailwindcss')),
  );
  assert.deepEqual(built, []);
});

test('files are kebab-case and say what they hold', () => {
  const odd = code.filter((file) => {
    const name = file.split('/').at(-1) ?? '';
    const isRoute = file.startsWith('apps/web/app/');
    return (
      (!isRoute && !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.config)?\.(ts|tsx|mjs)$/.test(name)) ||
      /(utils?|helpers?|common|manager|service(?!-worker)|repository|dto)\b/.test(name)
    );
  });
  assert.deepEqual(odd, []);
});
