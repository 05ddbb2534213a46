import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { beginVisit, connectAnalytics, identify, pageOf, resetAnalytics, track, visitId } from './analytics.ts';
import { ANALYTICS_CLIENT } from './analytics-client.ts';

const told: unknown[][] = [];
const recorder = {
  identify: (...all: unknown[]) => void told.push(['identify', ...all]),
  track: (...all: unknown[]) => void told.push(['track', ...all]),
  reset: () => void told.push(['reset']),
};
const kept = new Map<string, string>();
Object.assign(globalThis, {
  sessionStorage: {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  },
});
const PERSON = { user_id: 7, user_type: 'surrogate' };

beforeEach(() => {
  told.length = 0;
  kept.clear();
});

test('[Errors] analytics is off unless an installation gives a client, and a visit has its number all the same', () => {
  assert.equal(ANALYTICS_CLIENT, null);
  connectAnalytics(ANALYTICS_CLIENT);
  identify(PERSON);
  track('page_viewed');
  assert.match(visitId(), /^[0-9a-f-]{36}$/);
  assert.equal(visitId(), visitId());
  resetAnalytics();
});

test('[Errors] analytics state is reset: the client forgets, the visit is over, and nothing is told after it', () => {
  connectAnalytics(recorder);
  identify(PERSON);
  track('page_viewed', { page: '/' });
  const before = visitId();
  resetAnalytics();
  identify(PERSON);
  track('page_viewed', { page: '/cases' });
  assert.deepEqual(told, [['identify', PERSON], ['track', 'page_viewed', { page: '/' }], ['reset']]);
  assert.deepEqual([visitId(), kept.size], ['', 0]);
  connectAnalytics(recorder);
  assert.notEqual(visitId(), before, 'the next page begins another visit');
});

test('[Errors] analytics state is reset: another person in the same tab has a visit of their own, whatever ended the one before', () => {
  connectAnalytics(recorder);
  const before = visitId();
  beginVisit(7);
  connectAnalytics(recorder);
  beginVisit(7);
  assert.deepEqual([visitId(), told], [before, []], 'the next page, and signing in again');
  connectAnalytics(recorder);
  beginVisit(8);
  assert.notEqual(visitId(), before);
  assert.deepEqual(told, [['reset']]);
});

test('[Errors] a client that fails fails alone', () => {
  const fail = () => {
    throw new Error('blocked');
  };
  connectAnalytics({ identify: fail, track: fail, reset: fail });
  beginVisit(7);
  beginVisit(8);
  identify(PERSON);
  track('page_viewed');
  visitId();
  resetAnalytics();
  assert.equal(kept.size, 0);
});

test('a page is named without whose it is', () => {
  assert.equal(pageOf('/cases/12'), '/cases/:id');
  assert.equal(pageOf('/messages/7/x/8'), '/messages/:id/x/:id');
  assert.equal(pageOf('/disbursements/new'), '/disbursements/new');
});
