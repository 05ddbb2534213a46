import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from '../api/api-shapes.ts';
import { beginList, entriesOf, type PageList, withEarlier, withNewest } from './page-list.ts';

/** A page of everything up to a number, the newest first. */
function pageOf(newest: number, size = 3): Page<number> {
  const data = Array.from({ length: Math.min(size, newest) }, (_, at) => newest - at);
  const last = data.at(-1) ?? 0;
  return { data, next_cursor: last > 1 ? String(last) : null };
}

const keyOf = (one: number) => one;
const listed = (list: PageList<number>) => entriesOf(list, keyOf);

test('[LIVE-5] an item that leaves the first page of a list while it is being read stays in it', () => {
  const begun = beginList(pageOf(9));
  const further = withEarlier(begun, '7', pageOf(6));
  assert.deepEqual(listed(further), [9, 8, 7, 6, 5, 4]);
  const renewed = withNewest(withNewest(further, pageOf(10), keyOf), pageOf(12), keyOf);
  assert.deepEqual(listed(renewed), [12, 11, 10, 9, 8, 7, 6, 5, 4]);
  assert.equal(renewed.next, '4');
  // Also while the page after it is on its way.
  assert.deepEqual(
    listed(withEarlier(withNewest(begun, pageOf(11), keyOf), '7', pageOf(6))),
    [11, 10, 9, 8, 7, 6, 5, 4],
  );
  // What was taken away has the first page begin in the second one.
  const fewer = withNewest(further, { data: [9, 7, 6], next_cursor: '6' }, keyOf);
  assert.deepEqual(listed(fewer), [9, 7, 6, 5, 4]);
});

test('[LIVE-5] a list that received more than a page starts again, and no late page is added to it', () => {
  const anew = withNewest(withEarlier(beginList(pageOf(9)), '7', pageOf(6)), pageOf(13), keyOf);
  assert.deepEqual([listed(anew), anew.next], [[13, 12, 11], '11']);
  assert.equal(withEarlier(anew, '4', pageOf(3)), anew);
  assert.deepEqual(listed(withNewest(anew, pageOf(2), keyOf)), [2, 1], 'the first page is all there is');
});
