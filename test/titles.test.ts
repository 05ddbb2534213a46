import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { headingsOf, isHeading, whatNeedsATest } from './support/specification.ts';

/**
 * A title that begins with `[Heading 3]` says what its test proves: a rule of the specification or a section of the decisions.
 * Tests of the layers from outside all do; tests of what lies inside them (a unit, a script, the development store) may.
 */

const root = fileURLToPath(new URL('../', import.meta.url));
const PROVES_RULES = /^test\/(api|admin|web|worker|start|layers)\b/;

interface Title {
  file: string;
  words: string;
  /** Of the test and of what it stands in. */
  headings: string[];
}

const titles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => /\.test\.(ts|tsx|mjs)$/.test(file) && existsSync(join(root, file)))
  .flatMap((file) => titlesOf(file, readFileSync(join(root, file), 'utf8')));

function titlesOf(file: string, text: string): Title[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: Title[] = [];
  const visit = (node: ts.Node, above: string[]) => {
    const call = ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : '';
    const isSuite = call === 'describe';
    let headings = above;
    if (ts.isCallExpression(node) && (isSuite || call === 'test')) {
      // Of a template: with its `${...}`, so that a heading that is not written out is none.
      const words = node.arguments[0]?.getText(source).slice(1, -1) ?? '';
      headings = [...above, ...headingsOf(words)];
      if (!isSuite || headingsOf(words).length > 0) found.push({ file, words, headings });
    }
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText(source) === 'title' &&
      ts.isStringLiteral(node.initializer)
    ) {
      // A row of a table whose rows are tests.
      const words = node.initializer.text;
      if (headingsOf(words).length > 0) found.push({ file, words, headings: headingsOf(words) });
    }
    ts.forEachChild(node, (child) => visit(child, isSuite ? headings : above));
  };
  visit(source, []);
  return found;
}

const told = ({ file, words }: Title) => `${file}: ${words}`;

test('a title names headings that exist, and numbers below them that exist', () => {
  assert.ok(titles.length > 800, 'the titles were found');
  assert.deepEqual(titles.filter(({ headings }) => !headings.every(isHeading)).map(told), []);
  for (const none of [
    'Messaging',
    'Rules 2',
    'Errors 16',
    'Limits 0',
    'decisions',
    'decisions 18',
    'Message behaviour 7',
    '',
  ])
    assert.equal(isHeading(none), false, none);
});

test('a test that asks a layer from outside names what it proves', () => {
  const nameless = titles.filter(({ file, headings }) => PROVES_RULES.test(file) && headings.length === 0);
  assert.deepEqual(nameless.map(told), []);
});

test('every rule of the specification, and every row of its tables of behaviour, has a test', () => {
  const proved = new Set(titles.flatMap(({ headings }) => headings));
  const isProved = (needed: string) =>
    proved.has(needed) || (!/ \d+$/.test(needed) && [...proved].some((heading) => heading.startsWith(`${needed} `)));
  assert.deepEqual(
    whatNeedsATest().filter((needed) => !isProved(needed)),
    [],
  );
});
