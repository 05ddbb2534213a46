import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../scripts/checkout/checkout.mjs';
import { findCycles, listCode, readImports } from '../scripts/test/import-graph.mjs';

/** Checks that the repository stays easy to survey, in every file that git tracks or will track. */

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT }).toString().split('\n').filter(Boolean);
const files = git('ls-files', '--cached', '--others', '--exclude-standard').filter((file) => existsSync(join(ROOT, file)));

const code = listCode();

const MOST_FILES = 40;
/** Folders in which every file is another one of the same kind. */
const GROWS = ['db/migrations', 'docs/records', 'modules/notifications/email/templates'];

test('there are no import cycles, including imports of types', () => {
  assert.deepEqual(findCycles(readImports()), []);
});

test(`no folder has more than ${MOST_FILES} files`, () => {
  const counts = new Map<string, number>();
  for (const folder of files.map(dirname)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const crowded = [...counts].filter(([folder, count]) => count > MOST_FILES && !GROWS.includes(folder));
  assert.deepEqual(crowded, []);
});

test('nothing that is built is committed', () => {
  assert.deepEqual(git('ls-files', '--cached', '--ignored', '--exclude-standard'), []);
  const built = files.filter(
    (file) =>
      /(^|\/)(dist|build|out|coverage)\/|\.(min\.\w+|map|tsbuildinfo)$/.test(file) ||
      // Tailwind's compiler puts its name into its output.
      (file.endsWith('.css') && readFileSync(join(ROOT, file), 'utf8').startsWith('/*! tailwindcss')),
  );
  assert.deepEqual(built, []);
});

test('file names are kebab case and say what is in the file', () => {
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

/** Phrases that docs/style.md rejects. Words that also have a plain use, such as "alone", are left to reviewers. */
const STIFF = [
  /^\W*(What|Who)\b[^?]*$/,
  /\b(whoever|whosever|whatever else|anew|be it|mends?|mended)\b/i,
  /\b(is none of|of before|the one before|any more\b(?! than))/i,
  /\b(stands|lies) in\b/i,
  /\b(is|are|was|were) (told|asked) (of|about|that|for)\b/i,
  /\b(behaviour|colour|recognis|favour)/i,
];

test('comments avoid the phrases that docs/style.md rejects', () => {
  const comment = /^\s*(?:\/\*\*|\*|\/\/) ?(.*?)(?:\*\/)?$/;
  const stiff = code
    .filter((file) => file !== 'test/house.test.ts')
    .flatMap((file) => {
      const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
      return lines.flatMap((line, index) => {
        const text = comment.exec(line)?.[1];
        const previous = comment.exec(lines[index - 1] ?? '')?.[1];
        const startsComment = line.trim().startsWith('/**') || !previous;
        const patterns = startsComment ? STIFF : STIFF.slice(1);
        return text !== undefined && patterns.some((pattern) => pattern.test(text)) ? [`${file}:${index + 1} ${text}`] : [];
      });
    });
  assert.deepEqual(stiff, []);
});
