import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_ORDERS, caseFilterAddress, caseFilterIn, casesPath } from './case-filter.ts';

test('[PAGE-3] a list of cases has state, words, order, and page in its address', () => {
  const filter = caseFilterIn({ status: 'active', q: '  Lee & co ', sort: 'name' });
  assert.deepEqual(filter, { status: 'active', q: 'Lee & co', sort: 'name' });
  assert.equal(caseFilterAddress(filter), '?status=active&q=Lee+%26+co&sort=name');
  const again = Object.fromEntries(new URLSearchParams(caseFilterAddress(filter, 'next')));
  assert.deepEqual(caseFilterIn(again), filter);
  assert.equal(casesPath({}, 'next'), '/api/cases?overview=true&cursor=next');
});

test('unknown filters are ignored, and the default order is not named', () => {
  assert.deepEqual(caseFilterIn({ status: 'lost', q: ['a', 'b'], sort: '-updated_at' }), {});
  assert.equal(caseFilterIn({ q: 'x'.repeat(5000) }).q?.length, 200);
  assert.equal(caseFilterAddress({}), '');
  assert.deepEqual(
    CASE_ORDERS.map(({ sort, words }) => [sort, words, caseFilterIn({ sort }).sort]),
    [
      ['-updated_at', 'Last changed', undefined],
      ['name', 'Name', 'name'],
      ['-created_at', 'Newest', '-created_at'],
      ['created_at', 'Oldest', 'created_at'],
    ],
  );
  const STATES = ['intake', 'pending_funding', 'active', 'on_hold', 'closing', 'closed', 'cancelled'];
  for (const status of STATES) assert.equal(caseFilterIn({ status }).status, status);
});
