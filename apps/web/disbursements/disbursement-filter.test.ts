import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disbursementFilterAddress, disbursementFilterIn, disbursementsPath } from './disbursement-filter.ts';

test('[PAGE-3] the list of requests is filtered by its address, and invalid values are ignored', () => {
  assert.deepEqual(disbursementFilterIn({ status: 'paid', case: '12', q: ' taxi ' }), { status: 'paid', caseId: 12, q: 'taxi' });
  assert.deepEqual(disbursementFilterIn({ status: 'lost', case: '-1', cursor: 'c2' }), {}, 'the page is not part of the filter');
  assert.deepEqual(disbursementFilterIn({ status: ['paid', 'draft'], case: ['1'], q: ' ' }), {});
  assert.equal(disbursementFilterAddress({}), '');
  assert.equal(disbursementFilterAddress({ status: 'paid', caseId: 12 }, 'a b'), '?status=paid&case=12&cursor=a+b');
  assert.equal(disbursementsPath({}), '/api/disbursements');
  assert.equal(
    disbursementsPath({ status: 'denied', caseId: 3, q: '$300' }),
    '/api/disbursements?status=denied&case_id=3&q=%24300',
  );
});
