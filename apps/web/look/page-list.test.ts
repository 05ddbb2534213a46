import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from '../api/api-shapes.ts';
import { createPageList, listEntries, type PageList, withEarlier, withNewest } from './page-list.ts';

/** A page of the numbers from `newest` down, in a list that ends at 1. */
function pageOf(newest: number, size = 3): Page<number> {
  const data = Array.from({ length: Math.min(size, newest) }, (_, at) => newest - at);
  const last = data.at(-1) ?? 0;
  return { data, next_cursor: last > 1 ? String(last) : null };
}

const keyOf = (one: number) => one;
const listed = (list: PageList<number>) => listEntries(list, keyOf);

test('[LIVE-5] an item that leaves the first page of a list while it is being read stays in it', () => {
  const first = createPageList(pageOf(9));
  const longer = withEarlier(first, '7', pageOf(6));
  assert.deepEqual(listed(longer), [9, 8, 7, 6, 5, 4]);
  const refreshed = withNewest(withNewest(longer, pageOf(10), keyOf), pageOf(12), keyOf);
  assert.deepEqual(listed(refreshed), [12, 11, 10, 9, 8, 7, 6, 5, 4]);
  assert.equal(refreshed.next, '4');
  // The same holds while the next page is being loaded.
  assert.deepEqual(listed(withEarlier(withNewest(first, pageOf(11), keyOf), '7', pageOf(6))), [11, 10, 9, 8, 7, 6, 5, 4]);
  // After a removal the first page reaches into the second one.
  const fewer = withNewest(longer, { data: [9, 7, 6], next_cursor: '6' }, keyOf);
  assert.deepEqual(listed(fewer), [9, 7, 6, 5, 4]);
});

test('[LIVE-5] a list that received more than a page starts again, and no late page is added to it', () => {
  const restarted = withNewest(withEarlier(createPageList(pageOf(9)), '7', pageOf(6)), pageOf(13), keyOf);
  assert.deepEqual([listed(restarted), restarted.next], [[13, 12, 11], '11']);
  assert.equal(withEarlier(restarted, '4', pageOf(3)), restarted);
  assert.deepEqual(listed(withNewest(restarted, pageOf(2), keyOf)), [2, 1], 'the first page is all there is');
});
