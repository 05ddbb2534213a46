import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Checks the rules of docs/architecture.md, "Styles", in every file that git tracks or will track. */

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'apps', 'lib'], {
  cwd: root,
})
  .toString()
  .split('\n')
  .filter((file) => existsSync(join(root, file)));
const sheets = files.filter((file) => file.endsWith('.css'));

const LONGEST = 200;

/** The text of all files that may name a class, by application. */
const markup = {
  admin: wordsOf(/^(apps\/admin|lib\/browser)\/.*\.ts$/),
  web: wordsOf(/^(apps\/web|lib\/browser)\/.*\.tsx?$/),
};

function wordsOf(pattern: RegExp): Set<string> {
  const sources = files.filter((file) => pattern.test(file) && !file.endsWith('.test.ts'));
  return new Set(sources.flatMap((file) => read(file).match(/[\w-]+/g) ?? []));
}

/** Returns the classes in the rules of a style sheet. */
function classesOf(sheet: string): string[] {
  const rules = read(sheet).replaceAll(/\/\*[\s\S]*?\*\/|'[^']*'|@import .*/g, '');
  return [...new Set([...rules.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name))];
}

test('a style sheet is written by hand, short, and imported', () => {
  const imported = sheets.flatMap((sheet) =>
    [...read(sheet).matchAll(/@import '(\.[^']+)'/g)].map(([, path = '']) => normalize(join(dirname(sheet), path))),
  );
  const reference = ['operations', 'page', 'reference'].map((name) => `apps/api/docs/${name}.css`);
  const entries = ['apps/admin/assets/styles.css', ...reference, 'apps/web/app/globals.css', 'lib/theme.css'];
  assert.deepEqual(sheets.filter((sheet) => !imported.includes(sheet)).sort(), entries);
  assert.deepEqual(
    sheets.filter((sheet) => read(sheet).split('\n').length > LONGEST),
    [],
  );
});

test('the theme has what both applications show, and an area what its application does', () => {
  const unused = sheets.flatMap((sheet) => {
    const shownBy = Object.entries(markup).filter(([app]) => sheet.startsWith(`apps/${app}/`) || sheet.startsWith('lib/'));
    return classesOf(sheet)
      .filter((name) => !shownBy.every(([, words]) => words.has(name)))
      .map((name) => `.${name} in ${sheet}`);
  });
  assert.deepEqual(unused, []);
});

test('a button that shows progress keeps readable colors', () => {
  const pale = files
    .filter((file) => /^apps\/web\/.*\.tsx$/.test(file))
    .flatMap((file) =>
      read(file)
        .split(/(?=<button\b)/)
        .slice(1)
        .map((rest) => ({ file, button: rest.split('</button>')[0] ?? '' })),
    )
    .filter(({ button }) => /…'|\bdoing\b/.test(button) && !button.includes('data-busy='));
  assert.deepEqual(pale, []);
});
