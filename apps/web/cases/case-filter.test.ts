import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFilterAddress, caseFilterIn, casesPath } from './case-filter.ts';

test('[decisions 14] a list of cases is in its address: state, words, order and page', () => {
  const filter = caseFilterIn({ status: 'active', q: '  Lee & co ', sort: 'name' });
  assert.deepEqual(filter, { status: 'active', q: 'Lee & co', sort: 'name' });
  assert.equal(caseFilterAddress(filter), '?status=active&q=Lee+%26+co&sort=name');
  const again = Object.fromEntries(new URLSearchParams(caseFilterAddress(filter, 'next')));
  assert.deepEqual(caseFilterIn(again), filter);
  assert.equal(casesPath({}, 'next'), '/api/cases?overview=true&cursor=next');
});

test('what no filter knows is left out, and the usual order is not named', () => {
  assert.deepEqual(caseFilterIn({ status: 'lost', q: ['a', 'b'], sort: '-updated_at' }), {});
  assert.equal(caseFilterIn({ q: 'x'.repeat(5000) }).q?.length, 200);
  assert.equal(caseFilterAddress({}), '');
});
