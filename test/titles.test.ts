import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { listBrackets, listCitations, listRules } from './support/rules.ts';

/**
 * Titles begin with the rules of docs/rules that their test proves: `[CHAIN-2]`, or `[CHAIN-2, LIVE-3]`. Tests of the layers from
 * outside all do; tests of what is inside (a unit, a script, the development storage) may.
 */

const root = fileURLToPath(new URL('../', import.meta.url));
const PROVES_RULES = /^test\/(api|admin|web|worker|start|layers)\b.*\.test\.ts$/;

/** Rules that no title cites yet. The list only gets shorter. */
const UNTESTED = new Set<string>();

interface Title {
  file: string;
  words: string;
  /** The ids in brackets at the beginning of the title and of the suites around it. */
  cited: string[];
}

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => existsSync(join(root, file)));
const rules = listRules();
const ids = new Set(rules.map(({ id }) => id));
const titles = files
  .filter((file) => /^test\/.*\.ts$|\.test\.(ts|tsx|mjs)$/.test(file))
  .flatMap((file) => listTitles(file, readFileSync(join(root, file), 'utf8')));

function listTitles(file: string, text: string): Title[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const list: Title[] = [];
  const visit = (node: ts.Node, above: string[]) => {
    const call = ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : '';
    const isSuite = call === 'describe';
    let cited = above;
    if (ts.isCallExpression(node) && (isSuite || call === 'test')) {
      // A template keeps its `${...}`, so an id must be written out to count.
      const words = node.arguments[0]?.getText(source).slice(1, -1) ?? '';
      cited = [...above, ...listCited(words)];
      if (!isSuite || listCited(words).length > 0) list.push({ file, words, cited });
    }
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'title' && ts.isStringLiteral(node.initializer)) {
      // This is a row of a table whose rows become tests.
      const words = node.initializer.text;
      if (listCited(words).length > 0) list.push({ file, words, cited: listCited(words) });
    }
    ts.forEachChild(node, (child) => visit(child, isSuite ? cited : above));
  };
  visit(source, []);
  return list;
}

function listCited(words: string): string[] {
  return listBrackets(words).flatMap((bracket) => bracket.split(', '));
}

const nameTitle = ({ file, words }: Title) => `${file}: ${words}`;

test('each rule has an id of its own', () => {
  assert.ok(rules.length > 400, 'the rules were read');
  assert.deepEqual(
    rules.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) !== index),
    [],
  );
});

test('a title cites rules that exist', () => {
  assert.ok(titles.length > 800, 'the titles were read');
  assert.deepEqual(titles.filter(({ cited }) => !cited.every((id) => ids.has(id))).map(nameTitle), []);
});

test('comments and pages cite rules that exist', () => {
  const broken = files
    .filter((file) => /\.(ts|tsx|mjs|js|md|sql|css)$/.test(file) && file !== 'test/titles.test.ts')
    .flatMap((file) =>
      listCitations(readFileSync(join(root, file), 'utf8'), rules)
        .filter((id) => !ids.has(id))
        .map((id) => `${file}: ${id}`),
    );
  assert.deepEqual(broken, []);
});

test('a test that calls a layer from outside cites what it proves', () => {
  const bare = titles.filter(({ file, cited }) => PROVES_RULES.test(file) && cited.length === 0);
  assert.deepEqual(bare.map(nameTitle), []);
});

test('every rule has a test, except planned ones and the listed ones', () => {
  const proved = new Set(titles.flatMap(({ cited }) => cited));
  const untested = rules.filter(({ id, isPlanned }) => !isPlanned && !proved.has(id)).map(({ id }) => id);
  assert.deepEqual(
    untested.filter((id) => !UNTESTED.has(id)),
    [],
    'rules without a test',
  );
  assert.deepEqual(
    [...UNTESTED].filter((id) => !untested.includes(id)),
    [],
    'these have a test now: remove them from the list',
  );
});
