import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sixDigits } from './codes.ts';

test('[TWO-FACTOR-9] six digits are read however they were typed or pasted', () => {
  for (const text of [
    '123456',
    ' 123456 ',
    '123 456',
    '123-456',
    '123\u2011456',
    '1-2-3-4-5-6',
    '１２３４５６',
    '\u202A123456\u202C',
  ])
    assert.equal(sixDigits(text), '123456', text);
  for (const text of ['', '12345', '1234567', '12345a', 'abcde-fghij', '123.456']) assert.equal(sixDigits(text), null, text);
});
