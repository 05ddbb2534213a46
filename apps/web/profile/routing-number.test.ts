import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routingNumberProblem } from './routing-number.ts';

test('[BANK-4] a routing number is rejected for its length or its check digit as it is typed', () => {
  assert.equal(routingNumberProblem('021000021'), null);
  assert.equal(routingNumberProblem(' 1210 4288 2 '), null, 'spaces are ignored');
  assert.match(routingNumberProblem('') ?? '', /Enter/);
  assert.match(routingNumberProblem('02100002') ?? '', /nine digits/);
  assert.match(routingNumberProblem('0210OOO21') ?? '', /nine digits/);
  for (const swapped of ['012000021', '021000012', '021000022']) {
    assert.match(routingNumberProblem(swapped) ?? '', /isn’t a valid routing number/, swapped);
  }
});
