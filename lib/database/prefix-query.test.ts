import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPrefixQuery } from './prefix-query.ts';

for (const [text, query] of [
  ['Case 1', 'case:* & 1:*'],
  ["O'Neil-Müller", 'o:* & neil:* & müller:*'],
  ["'); drop table | & ! :*", 'drop:* & table:*'],
  ['  ', null],
  ['!&|', null],
] as const) {
  test(`"${text}" is searched for as ${query}`, () => assert.equal(toPrefixQuery(text), query));
}
