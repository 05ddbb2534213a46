import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestFilterAddress, requestFilterIn, requestsPath } from './disbursement-filter.ts';

test('[decisions 10] the list of requests is filtered by its address, and what an address cannot mean is left out', () => {
  assert.deepEqual(requestFilterIn({ status: 'paid', case: '12' }), { status: 'paid', caseId: 12 });
  assert.deepEqual(requestFilterIn({ status: 'lost', case: '-1' }), {});
  assert.deepEqual(requestFilterIn({ status: ['paid', 'draft'], case: ['1'] }), {});
  assert.equal(requestFilterAddress({}), '');
  assert.equal(requestFilterAddress({ status: 'paid', caseId: 12 }, 'a b'), '?status=paid&case=12&cursor=a+b');
  assert.equal(requestsPath({}), '/api/disbursements');
  assert.equal(requestsPath({ status: 'denied', caseId: 3 }), '/api/disbursements?status=denied&case_id=3');
});
