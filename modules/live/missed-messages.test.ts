import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlace } from './missed-messages.ts';

test('[LIVE-6] a place is the mark of a database and a number that it can compare, and nothing else', () => {
  for (const text of ['0123abcd-1', `ffffffff-${'9'.repeat(18)}`]) assert.equal(isPlace(text), true, text);
  const others = [
    '',
    '0',
    '0123abcd',
    '0123abcd-',
    '123abcd-1',
    '0123ABCD-1',
    '0123abcd-1 ',
    '0123abcd--1',
    '0123abcd-1\n',
    '0123abcg-1',
  ];
  for (const text of [...others, `0123abcd-${'1'.repeat(19)}`]) assert.equal(isPlace(text), false, text);
});
