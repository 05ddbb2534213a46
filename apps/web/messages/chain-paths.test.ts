import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChainFilter, chainsPath, filterAddress, filterInAddress, idInPath } from './chain-paths.ts';

test('[CHAIN-12, PAGE-3] the filters of the inbox are in its address and in the call', () => {
  const filter = { q: 'first payment', status: 'closed', caseId: 3 } as const;
  assert.equal(filterAddress(filter), '?q=first+payment&show=closed&case=3');
  assert.deepEqual(filterInAddress(filterAddress(filter)), filter);
  assert.equal(chainsPath(filter), '/api/messages?case_id=3&status=closed&q=first+payment');
  assert.deepEqual(filterInAddress('?show=unread'), { unread: true });
  assert.equal(filterAddress({}), '');
});

test('invalid values in an address are ignored', () => {
  assert.deepEqual(filterInAddress('?show=nothing&case=-1&q=%20%20&x=1&cursor=c2'), {});
  assert.equal(filterInAddress(`?q=${'a'.repeat(500)}`).q?.length, 200);
});

test('[CHAIN-12, PAGE-3] each part of a filter reaches the call and the address separately', () => {
  const calls: [ChainFilter, string, string][] = [
    [{}, '', ''],
    [{ unread: true }, '?unread=true', '?show=unread'],
    [{ unread: false }, '', ''],
    [{ status: 'open' }, '?status=open', '?show=open'],
    [{ status: 'closed' }, '?status=closed', '?show=closed'],
    [{ caseId: 12 }, '?case_id=12', '?case=12'],
    [{ q: 'taxi' }, '?q=taxi', '?q=taxi'],
    [{ limit: 5 }, '?limit=5', ''],
  ];
  for (const [filter, query, address] of calls) {
    assert.equal(chainsPath(filter), `/api/messages${query}`);
    assert.equal(filterAddress(filter), address);
  }
  assert.equal(chainsPath({}, 'next'), '/api/messages?cursor=next');
  const read = (address: string) => Object.entries(filterInAddress(address)).flat();
  assert.deepEqual(['?show=open', '?show=closed', '?show=unread', '?case=7', '?q=+a+'].map(read), [
    ['status', 'open'],
    ['status', 'closed'],
    ['unread', true],
    ['caseId', 7],
    ['q', 'a'],
  ]);
});

test('an id in a path has up to fifteen digits and does not begin with a zero', () => {
  for (const id of ['1', '10', '999999999999999']) assert.equal(idInPath(id), Number(id));
  for (const text of ['', '0', '01', '-1', '1.5', '1e3', '0x1', '1000000000000000', ' 1'])
    assert.equal(idInPath(text), null, text);
});
