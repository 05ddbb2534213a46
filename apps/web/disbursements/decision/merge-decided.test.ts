import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decided, mergeDecided } from './merge-decided.ts';

type Decision = Decided['decision'];
const request = (id: number, minute = 0) => ({ id, updated_at: `2026-11-26T02:0${minute}:00.000Z` }) as Decision;
const decided = (decision: Decision, list: Decision[], outcome: 'approved' | null = 'approved', minute = 1) =>
  [
    decision.id,
    { decision, list, outcome: outcome && { kind: outcome, request: request(decision.id, minute), canUndo: true } },
  ] as const satisfies [number, Decided];
const shown = (list: readonly Decision[], ...own: (readonly [number, Decided])[]) =>
  mergeDecided(list, new Map(own)).map(({ decision, outcome }) => `${decision.id} ${outcome?.kind ?? 'waits'}`);

const [first, second, third] = [request(3), request(2), request(1)];
const ALL = [first, second, third];

test('[HOME-5] a decided request keeps its place, whether the server lists it or not', () => {
  assert.deepEqual(shown(ALL), ['3 waits', '2 waits', '1 waits']);
  const approved = decided(second, ALL);
  for (const list of [ALL, [first, third]]) assert.deepEqual(shown(list, approved), ['3 waits', '2 approved', '1 waits']);
});

test('[HOME-5] a decided request that waits again, because it changed, can be decided again', () => {
  assert.deepEqual(shown([first, request(2, 2), third], decided(second, ALL)), ['3 waits', '2 waits', '1 waits']);
});

test('[HOME-5] an undone approval waits at once, and afterwards only if the server says so', () => {
  const without = [first, third];
  const undone = decided(second, without, null);
  assert.deepEqual(shown(without, undone), ['3 waits', '2 waits', '1 waits']);
  assert.deepEqual(shown([first, request(2, 2), third], undone), ['3 waits', '2 waits', '1 waits']);
  assert.deepEqual(shown([...without], undone), ['3 waits', '1 waits'], 'someone else decided meanwhile');
});
