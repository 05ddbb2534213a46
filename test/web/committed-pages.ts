import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after } from 'node:test';

/** Fewer lines than this are written again instead of naming the page that has them. */
const SHORTEST_RUN = 2;
const RUN = /^\((\d+) lines of ([^)]*)\) (.*)$/;

type Pages = Map<string, string[]>;

/**
 * Compares the lines of pages with a committed file, which UPDATE_VALUES=1 rewrites. Lines that an earlier page has in the same order
 * are written as their number, the title of that page, and the first of them.
 */
export function committedPages(file: URL): (title: string, lines: string[]) => void {
  const isUpdated = process.env.UPDATE_VALUES !== undefined;
  const expected = isUpdated ? new Map<string, string[]>() : readPages(readFileSync(file, 'utf8'));
  if (isUpdated) after(() => writeFileSync(file, writePages(expected)));
  return (title, lines) => {
    if (isUpdated) assert.ok(!expected.has(title), title);
    if (isUpdated) expected.set(title, lines);
    assert.deepEqual(lines, expected.get(title) ?? [], `${title} (UPDATE_VALUES=1 rewrites the list)`);
  };
}

function readPages(text: string): Pages {
  const pages: Pages = new Map();
  for (const section of text.split(/^## /m).slice(1)) {
    const [title = '', ...lines] = section.trimEnd().split('\n');
    const whole = lines.flatMap((line) => {
      const [, count, of = '', first = ''] = RUN.exec(line) ?? [];
      if (count === undefined) return [line];
      const earlier = pages.get(of) ?? [];
      const at = earlier.indexOf(first);
      return earlier.slice(at, at + Number(count));
    });
    pages.set(title, whole);
  }
  return pages;
}

function writePages(pages: Pages): string {
  const earlier: Pages = new Map();
  const sections = [...pages].map(([title, lines]) => {
    const short: string[] = [];
    for (let at = 0; at < lines.length; ) {
      const run = longestRun(earlier, lines.slice(at));
      short.push(run === null ? (lines[at] ?? '') : `(${run.length} lines of ${run.title}) ${lines[at]}`);
      at += run?.length ?? 1;
    }
    earlier.set(title, lines);
    return `## ${title}\n${short.join('\n')}`;
  });
  return `# Made by UPDATE_VALUES=1 npm test -- the test beside it.\n\n${sections.join('\n')}\n`;
}

function longestRun(earlier: Pages, lines: readonly string[]): { title: string; length: number } | null {
  let longest = { title: '', length: SHORTEST_RUN - 1 };
  for (const [title, before] of earlier) {
    const from = before.indexOf(lines[0] ?? '');
    let length = 0;
    while (from >= 0 && length < lines.length && from + length < before.length && lines[length] === before[from + length])
      length++;
    if (length > longest.length && !title.includes(')')) longest = { title, length };
  }
  return longest.length < SHORTEST_RUN ? null : longest;
}
