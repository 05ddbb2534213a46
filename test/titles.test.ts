import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { listBrackets, listCitations, listRules } from './support/rules.ts';
import { isHeading } from './support/specification.ts';

/**
 * Titles begin with the rules of docs/rules that their test proves: `[CHAIN-2]`, or `[CHAIN-2, LIVE-3]`. Tests of the layers from
 * outside all do; tests of what is inside (a unit, a script, the development storage) may.
 */

const root = fileURLToPath(new URL('../', import.meta.url));
const PROVES_RULES = /^test\/(api|admin|web|worker|start|layers)\b.*\.test\.ts$/;

/** Rules that no title cites yet. The list only gets shorter. */
const UNTESTED = new Set(
  `
CHAIN-1 CHAIN-3 CHAIN-4 CHAIN-5 CHAIN-7 CHAIN-9 CHAIN-10 CHAIN-12 CHAIN-13 CHAIN-14 CHAIN-15 CHAIN-17 CHAIN-18
MESSAGE-1 MESSAGE-2 MESSAGE-3 MESSAGE-5 MESSAGE-7 MESSAGE-8 MESSAGE-9 MESSAGE-10 UNREAD-1 UNREAD-2 UNREAD-3 UNREAD-4
UNREAD-5 UNREAD-6 OUTBOX-1 OUTBOX-2 OUTBOX-3 INBOX-1 INBOX-2 FILE-1 FILE-3 FILE-6 PICTURE-5 UPLOAD-2 UPLOAD-4 UPLOAD-7
UPLOAD-8 UPLOAD-9 UPLOAD-10 LIVE-1 LIVE-3 LIVE-4 LIVE-5 LIVE-6 LIVE-7 NOTIFY-1 NOTIFY-6 PUSH-1 PUSH-2 PUSH-3 PUSH-13
CASE-3 CASE-5 CASE-6 CASE-9 CASE-11 PLAN-2 PLAN-3 PLAN-4 PLAN-5 PLAN-6 REQUEST-2 REQUEST-4 REQUEST-6 REQUEST-7
REQUEST-9 REQUEST-10 REQUEST-12 REQUEST-13 REQUEST-15 REQUEST-16 REQUEST-17 DRAFT-2 DRAFT-3 APPROVER-1 APPROVER-2
FUNDS-3 FUNDS-4 DEPOSIT-3 DEPOSIT-5 CONTRACT-1 CONTRACT-4 BANK-2 BANK-5 BANK-6 BANK-7 PAYABLE-3 BATCH-1 BATCH-2
BATCH-3 BATCH-8 BATCH-9 NACHA-5 RETURN-3 RETURN-6 RETRY-2 STATEMENT-4 STATEMENT-6 PROJECTION-3 PROOF-2 HOME-2
PAYMENT-2 LAYER-4 LAYER-5 SIGN-IN-1 SIGN-IN-2 SIGN-IN-3 SIGN-IN-4 SIGN-IN-5 SIGN-IN-6 SIGN-IN-7 SIGN-IN-8 SIGN-IN-9
SIGN-IN-10 SIGN-IN-11 SIGN-IN-12 TOKEN-1 TOKEN-2 TOKEN-3 TOKEN-4 TOKEN-5 TOKEN-6 TOKEN-7 TOKEN-8 TWO-FACTOR-1
TWO-FACTOR-2 TWO-FACTOR-3 TWO-FACTOR-4 TWO-FACTOR-5 TWO-FACTOR-6 TWO-FACTOR-7 TWO-FACTOR-8 TWO-FACTOR-9 TWO-FACTOR-10
TWO-FACTOR-11 TWO-FACTOR-12 TWO-FACTOR-13 PASSWORD-3 PASSWORD-4 PASSWORD-5 PASSWORD-6 PASSWORD-7 PASSWORD-8 PASSWORD-9
ACCOUNT-1 ACCOUNT-2 ACCOUNT-3 ACCOUNT-5 IDENTITY-1 IDENTITY-2 IDENTITY-3 IDENTITY-4 IDENTITY-5 IDENTITY-6 IDENTITY-7
ADDRESS-1 ADDRESS-2 ADDRESS-3 ADDRESS-4 ADDRESS-6 ADDRESS-7 PERSON-1 PERSON-2 PERSON-4 SESSION-1 SESSION-2 SESSION-3
SESSION-4 SESSION-5 WEB-1 WEB-2 WEB-3 WEB-4 WEB-6 WEB-7 WEB-8 WEB-9 WEB-10 WEB-11 WEB-12 WEB-13 WEB-14 GUARD-2 GUARD-3
GUARD-4 GUARD-5 GUARD-6 GUARD-9 GUARD-10 GUARD-11 ROLE-3 ROLE-7 ROLE-8 ROLE-9 ROLE-10 ROLE-11 ROLE-12 SHOWN-1 SHOWN-2
SHOWN-5 SHOWN-6 STAFF-2 STAFF-3 STAFF-4 STAFF-5 STAFF-6 STAFF-7 INVITE-1 INVITE-2 INVITE-3 INVITE-4 KEY-1 KEY-2 KEY-3
KEY-4 KEY-5 KEY-7 KEY-8 AUDIT-5 API-3 API-5 IDEMPOTENCY-1 ERROR-1 ERROR-6 RATE-1 RATE-2 RATE-4 EDGE-4 EDGE-6 EDGE-7
PAGE-1 PAGE-2 PAGE-3 PAGE-4 PAGE-6 PAGE-7 PAGE-8 START-6 START-7 DATABASE-2 DATABASE-6 PROCESS-5 OPERATE-6
`
    .split(/\s+/)
    .filter(Boolean),
);

interface Title {
  file: string;
  words: string;
  /** In brackets at the beginning of the title, and of the suites around it. */
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
      // A template keeps its `${...}`, so an id that is not written out does not exist.
      const words = node.arguments[0]?.getText(source).slice(1, -1) ?? '';
      cited = [...above, ...listCited(words)];
      if (!isSuite || listCited(words).length > 0) list.push({ file, words, cited });
    }
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText(source) === 'title' &&
      ts.isStringLiteral(node.initializer)
    ) {
      // A row of a table whose rows are tests.
      const words = node.initializer.text;
      if (listCited(words).length > 0) list.push({ file, words, cited: listCited(words) });
    }
    ts.forEachChild(node, (child) => visit(child, isSuite ? cited : above));
  };
  visit(source, []);
  return list;
}

function listCited(words: string): string[] {
  return listBrackets(words).flatMap((bracket) => (isHeading(bracket) ? [bracket] : bracket.split(', ')));
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
  const isCitable = (cited: string) => ids.has(cited) || isHeading(cited);
  assert.deepEqual(titles.filter(({ cited }) => !cited.every(isCitable)).map(nameTitle), []);
  for (const wrong of ['Messaging', 'Rules 2', 'Errors 16', 'decisions', 'decisions 18', 'CHAIN-0', 'CHAIN-999', ''])
    assert.equal(isCitable(wrong), false, wrong);
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
