import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainsPath, filterAddress, filterInAddress } from './chain-paths.ts';

test('[decisions 6] the filters of the inbox stand in its address and in the call', () => {
  const filter = { q: 'first payment', status: 'closed', caseId: 3 } as const;
  assert.equal(filterAddress(filter), '?q=first+payment&show=closed&case=3');
  assert.deepEqual(filterInAddress(filterAddress(filter)), filter);
  assert.equal(chainsPath(filter), '/api/messages?case_id=3&status=closed&q=first+payment');
  assert.deepEqual(filterInAddress('?show=unread'), { unread: true });
  assert.equal(filterAddress({}), '');
});

test('an address that makes no sense shows everything', () => {
  assert.deepEqual(filterInAddress('?show=nothing&case=-1&q=%20%20&x=1'), {});
  assert.equal(filterInAddress(`?q=${'a'.repeat(500)}`).q?.length, 200);
});
