import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decided, mergeDecided } from './merge-decided.ts';

type Decision = Decided['decision'];
const request = (id: number, minute = 0) => ({ id, updated_at: `2026-11-26T02:0${minute}:00.000Z` }) as Decision;
const NOW = 100_000;
const decided = (decision: Decision, { outcome = 'approved', at = NOW }: { outcome?: 'approved' | null; at?: number } = {}) =>
  [
    decision.id,
    { decision, at, outcome: outcome && { kind: outcome, request: request(decision.id, 1), canUndo: true } },
  ] as const satisfies [number, Decided];
const shown = (list: readonly Decision[], ...own: (readonly [number, Decided])[]) =>
  mergeDecided(list, new Map(own), NOW).map(({ decision, outcome }) => `${decision.id} ${outcome?.kind ?? 'waits'}`);

const [first, second, third] = [request(3), request(2), request(1)];
const ALL = [first, second, third];

test('[HOME-5] a decided request keeps its place, whether the server lists it or not', () => {
  assert.deepEqual(shown(ALL), ['3 waits', '2 waits', '1 waits']);
  const approved = decided(second);
  for (const list of [ALL, [first, third]]) assert.deepEqual(shown(list, approved), ['3 waits', '2 approved', '1 waits']);
});

test('[HOME-5] a decided request that waits again, because it changed, can be decided again', () => {
  assert.deepEqual(shown([first, request(2, 2), third], decided(second)), ['3 waits', '2 waits', '1 waits']);
});

test('[HOME-5] an undone approval waits at once, and after some seconds only if the server says so', () => {
  const undone = (at: number) => decided(second, { outcome: null, at });
  assert.deepEqual(shown([first, third], undone(NOW - 9_000)), ['3 waits', '2 waits', '1 waits']);
  assert.deepEqual(shown([first, request(2, 2), third], undone(0)), ['3 waits', '2 waits', '1 waits']);
  assert.deepEqual(shown([first, third], undone(NOW - 10_000)), ['3 waits', '1 waits'], 'someone else decided meanwhile');
});
