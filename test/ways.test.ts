import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The stories of docs/architecture.md, "Four stories, file by file": each step is there, and none became longer than it was. */

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const [, stories = ''] = read('docs/architecture.md').split('## Four stories, file by file');
const [chapter = ''] = stories.split('\n## ');

interface Story {
  title: string;
  steps: { file: string; name: string }[];
  /** The number of its last step. */
  length: number;
}

const found: Story[] = chapter
  .split('\n### ')
  .slice(1)
  .map((text) => {
    const rows = [...text.matchAll(/^\| (\d+)(?: to \d+)? \| (?:`([^`]+)` \| `([^`]+)`)?/gm)];
    const steps = rows.flatMap(([, , file, name]) => (file === undefined ? [] : [{ file, name: name ?? '' }]));
    return { title: text.split('\n', 1)[0] ?? '', steps, length: Number(rows.at(-1)?.[1]) };
  });

/** The most files that somebody has to open. */
const LONGEST: Record<string, number> = {
  'From a tap on Send to the row': 11,
  'From the API to a push, and to unread': 9,
  'From an amount in a form to the bank’s file': 10,
  'From a password to a token at the API': 9,
};

test('the architecture tells each story, and none is longer than it was', () => {
  assert.deepEqual(Object.fromEntries(found.map(({ title, length }) => [title.replaceAll("'", '’'), length])), LONGEST);
});

for (const { title, steps } of found)
  for (const { file, name } of steps)
    test(`${title}: ${name} is in ${file}`, () => {
      assert.ok(existsSync(join(root, file)), file);
      assert.match(read(file), new RegExp(`(function|const) ${name}\\b|\\b${name}\\(`));
    });
