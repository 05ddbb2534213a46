import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { STREAM_WITHIN_MS } from '@case-platform/lib/browser/page-age';
import type { LiveChange } from './live-event.ts';
import { RecentChanges } from './recent-changes.ts';

const NOW = 1_000_000;
const OLDEST_PAGE_MS = 30_000;
const MOST_OF_CHAINS = 20;

const chain = (chain_id = 1): LiveChange => ({ kind: 'chain', chain_id, since: '0' });
const chainOf = (chain_id: number, reader: number): LiveChange => ({ kind: 'chain', chain_id, since: '0', audience: [reader] });
const ofCase: LiveChange = { kind: 'case', case_id: 1, user_id: null, since: '0' };
const marks: LiveChange = { kind: 'marks', chain_id: 1, user_id: 1, since: '0' };
const writing: LiveChange = { kind: 'writing', chain_id: 1, user_id: 1, name: 'Ann', writing: 'reply', since: '0' };
const message = (message_id: number): LiveChange => ({ kind: 'message', chain_id: 1, message_id, since: '0' });

/** The changes of a process that has received everything since long ago, and how its clock is set. */
function startRecent(t: TestContext, begunAt = 0) {
  let now = begunAt;
  t.mock.method(performance, 'now', () => now);
  const recent = new RecentChanges();
  recent.begin();
  return {
    recent,
    add: (at: number, change: LiveChange) => {
      now = at;
      return recent.add(change);
    },
    missed: (pageAge: number, { userId = 1, at = NOW } = {}) => {
      now = at;
      return recent.findMissed(userId, pageAge);
    },
  };
}

test('[LIVE-8] a change is repeated up to the age of the page and the time that its stream may have taken', (t) => {
  for (const pageAge of [0, 1, 1000, OLDEST_PAGE_MS - 1, OLDEST_PAGE_MS]) {
    const bound = pageAge + STREAM_WITHIN_MS;
    for (const before of [0, pageAge - 1, pageAge, pageAge + 1, bound - 1, bound, bound + 1, bound + 1000]) {
      if (before < 0) continue;
      const { add, missed } = startRecent(t);
      const change = chain();
      add(NOW - before, change);
      const expected = before <= bound ? [change] : [];
      assert.deepEqual(missed(pageAge), expected, `a page of ${pageAge} ms, and a change ${before} ms ago`);
    }
  }
});

test('[LIVE-8] what an old page missed is unknown, because older changes are forgotten', (t) => {
  for (const [pageAge, isUnknown] of [
    [OLDEST_PAGE_MS - 1, false],
    [OLDEST_PAGE_MS, false],
    [OLDEST_PAGE_MS + 1, true],
    [Number.POSITIVE_INFINITY, true],
  ] as const) {
    const { missed } = startRecent(t);
    assert.equal(missed(pageAge) === null, isUnknown, String(pageAge));
  }
});

test('[LIVE-8] a change is forgotten when no page can miss it any more, and an id comes twice only after that', (t) => {
  const longest = OLDEST_PAGE_MS + STREAM_WITHIN_MS;
  for (const [before, isThere] of [
    [longest - 1, true],
    [longest, true],
    [longest + 1, false],
  ] as const) {
    const { add, missed } = startRecent(t);
    const first = message(1);
    assert.equal(add(NOW - before, first), true);
    // Adding another one forgets those that are too old.
    add(NOW, chain());
    assert.deepEqual(missed(OLDEST_PAGE_MS), isThere ? [first, chain()] : [chain()], `${before} ms ago`);
    assert.equal(add(NOW, message(1)), !isThere, `the same message again after ${before} ms`);
    assert.equal(add(NOW, message(2)), true, 'another message');
  }
});

test('[LIVE-8] a process that has not received everything since the page was requested does not know what it missed', (t) => {
  for (const pageAge of [0, 1000, OLDEST_PAGE_MS]) {
    const requestedAt = NOW - pageAge - STREAM_WITHIN_MS;
    for (const [begunAt, isUnknown] of [
      [requestedAt - 1, false],
      [requestedAt, false],
      [requestedAt + 1, true],
      [requestedAt + STREAM_WITHIN_MS, true],
      [NOW, true],
    ] as const) {
      const { missed } = startRecent(t, begunAt);
      assert.equal(missed(pageAge) === null, isUnknown, `a page of ${pageAge} ms, connected ${NOW - begunAt} ms ago`);
    }
  }
  const { recent, missed } = startRecent(t);
  recent.end();
  assert.equal(missed(0), null, 'the connection was lost');
  assert.equal(new RecentChanges().findMissed(1, 0), null, 'there was no connection yet');
});

test('[LIVE-8] a process that connects again has none of the changes and ids of the previous connection', (t) => {
  const { recent, add, missed } = startRecent(t);
  add(NOW, message(1));
  recent.end();
  recent.begin();
  assert.deepEqual(missed(0, { at: NOW + STREAM_WITHIN_MS }), []);
  assert.equal(add(NOW + STREAM_WITHIN_MS, message(1)), true);
});

test('[LIVE-8] more changes of conversations than are worth repeating are too many, and those of cases do not count', (t) => {
  for (const count of [MOST_OF_CHAINS - 1, MOST_OF_CHAINS, MOST_OF_CHAINS + 1]) {
    const { add, missed } = startRecent(t);
    add(NOW - 1001 - STREAM_WITHIN_MS, chain(500));
    const changes = Array.from({ length: count }, (_, at) => (at % 2 === 0 ? chain(at) : message(at)));
    for (const change of changes) {
      add(NOW, change);
      add(NOW, ofCase);
      add(NOW, chainOf(600, 2));
      add(NOW, marks);
    }
    const expected: LiveChange[] | null = count <= MOST_OF_CHAINS ? changes.flatMap((change) => [change, ofCase]) : null;
    assert.deepEqual(missed(1000), expected, `${count} changes`);
  }
});

test('[LIVE-8] a page gets the changes for its person, oldest first, and neither marks nor who is writing', (t) => {
  const { add, missed } = startRecent(t);
  const [toAll, toOne, toOther] = [chain(1), chainOf(2, 1), chainOf(3, 2)];
  for (const change of [toAll, ofCase, toOne, toOther]) add(NOW, change);
  add(NOW, marks);
  add(NOW, writing);
  assert.deepEqual(missed(0), [toAll, ofCase, toOne]);
  assert.deepEqual(missed(0, { userId: 2 }), [toAll, ofCase, toOther]);
  assert.deepEqual(missed(0, { userId: 3 }), [toAll, ofCase]);
});
