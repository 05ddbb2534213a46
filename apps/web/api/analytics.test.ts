import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { beginVisit, connectAnalytics, identify, pageOf, resetAnalytics, track, visitId } from './analytics.ts';
import { ANALYTICS_CLIENT } from './analytics-client.ts';

const calls: unknown[][] = [];
const recorder = {
  identify: (...all: unknown[]) => void calls.push(['identify', ...all]),
  track: (...all: unknown[]) => void calls.push(['track', ...all]),
  reset: () => void calls.push(['reset']),
};
const stored = new Map<string, string>();
Object.assign(globalThis, {
  sessionStorage: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  },
});
const PERSON = { user_id: 7, user_type: 'surrogate' };

beforeEach(() => {
  calls.length = 0;
  stored.clear();
});

test('[WEB-14] analytics is off unless an installation provides a client, and a visit has its number anyway', () => {
  assert.equal(ANALYTICS_CLIENT, null);
  connectAnalytics(ANALYTICS_CLIENT);
  identify(PERSON);
  track('page_viewed');
  assert.match(visitId(), /^[0-9a-f-]{36}$/);
  assert.equal(visitId(), visitId());
  resetAnalytics();
});

test('[WEB-9] analytics is reset: the client forgets, the visit ends, and nothing is sent after it', () => {
  connectAnalytics(recorder);
  identify(PERSON);
  track('page_viewed', { page: '/' });
  const before = visitId();
  resetAnalytics();
  identify(PERSON);
  track('page_viewed', { page: '/cases' });
  assert.deepEqual(calls, [['identify', PERSON], ['track', 'page_viewed', { page: '/' }], ['reset']]);
  assert.deepEqual([visitId(), stored.size], ['', 0]);
  connectAnalytics(recorder);
  assert.notEqual(visitId(), before, 'the next page begins another visit');
});

test('[WEB-9, WEB-12] another person in the same tab has a visit of their own, whatever ended the previous one', () => {
  connectAnalytics(recorder);
  const before = visitId();
  beginVisit(7);
  connectAnalytics(recorder);
  beginVisit(7);
  assert.deepEqual([visitId(), calls], [before, []], 'the next page, and signing in again');
  connectAnalytics(recorder);
  beginVisit(8);
  assert.notEqual(visitId(), before);
  assert.deepEqual(calls, [['reset']]);
});

test('[WEB-14] a client that fails affects nothing else', () => {
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
  assert.equal(stored.size, 0);
});

test('the name of a page does not say whose it is', () => {
  assert.equal(pageOf('/cases/12'), '/cases/:id');
  assert.equal(pageOf('/messages/7/x/8'), '/messages/:id/x/:id');
  assert.equal(pageOf('/disbursements/new'), '/disbursements/new');
});
