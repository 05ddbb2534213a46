import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  asAttempt,
  chainsWithOutgoing,
  clearDrafts,
  countDrafts,
  forgetOutgoing,
  isOutgoingKept,
  joinDrafts,
  keepDraft,
  keepOutgoing,
  readAttempt,
  readOutgoing,
} from './drafts.ts';

test('a draft is put before newly typed text, and no text appears twice', () => {
  assert.equal(joinDrafts('', 'typed'), 'typed');
  assert.equal(joinDrafts('kept', 'typed'), 'kept\n\ntyped');
  assert.equal(joinDrafts('kept', 'kept'), 'kept');
  assert.equal(joinDrafts('kept and more', 'kept'), 'kept and more');
  assert.equal(joinDrafts('kept', 'kept and more'), 'kept and more');
});

/** Imitates localStorage, whose keys are properties of the object. */
function sharedStorage(): Record<string, unknown> {
  const methods = {
    getItem(this: Record<string, string>, key: string) {
      return this[key] ?? null;
    },
    setItem(this: Record<string, string>, key: string, value: string) {
      this[key] = value;
    },
    removeItem(this: Record<string, string>, key: string) {
      delete this[key];
    },
  };
  return Object.create(methods);
}

test('outgoing messages from two tabs of one chain do not overwrite each other', (t) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  Object.defineProperty(globalThis, 'localStorage', { value: sharedStorage(), configurable: true });
  t.after(() => before !== undefined && Object.defineProperty(globalThis, 'localStorage', before));
  const outgoing = (key: string, startedAt: string) => ({
    key,
    text: 'Thanks',
    fileNames: [],
    startedAt,
    underWay: true,
  });
  keepOutgoing(1, 7, outgoing('of-one-tab', '2026-11-19T10:00:01Z'));
  keepOutgoing(1, 7, outgoing('of-another', '2026-11-19T10:00:00Z'));
  keepOutgoing(1, 8, outgoing('of-another-chain', '2026-11-19T10:00:00Z'));
  const keys = () => readOutgoing(1, 7).map(({ key }) => key);
  assert.deepEqual(keys(), ['of-another', 'of-one-tab']);
  const areStored = () => ['of-one-tab', 'of-another'].map((key) => isOutgoingKept(1, 7, key));
  assert.deepEqual(areStored(), [true, true]);
  forgetOutgoing(1, 7, 'of-one-tab');
  assert.deepEqual(keys(), ['of-another']);
  assert.deepEqual(areStored(), [false, true]);
  // After a reload a failed message waits for its writer, and one that was under way is sent.
  assert.deepEqual(
    readOutgoing(1, 7).map(({ underWay }) => underWay),
    [true],
  );
  keepOutgoing(1, 7, { ...outgoing('of-another', '2026-11-19T10:00:00Z'), underWay: false });
  assert.deepEqual(
    readOutgoing(1, 7).map(({ underWay }) => underWay),
    [false],
  );
  for (const part of ['key', 'text', 'startedAt', 'fileNames']) {
    const { [part]: _, ...rest } = outgoing('incomplete', '2026-11-19T10:00:00Z') as Record<string, unknown>;
    localStorage.setItem('case-platform.draft.1.7.outgoing.incomplete', JSON.stringify(rest));
    assert.deepEqual(keys(), ['of-another'], part);
  }
  forgetOutgoing(1, 7, 'incomplete');
  localStorage.setItem('case-platform.draft.1.7.outgoing.broken', '{');
  assert.deepEqual(keys(), ['of-another'], 'an entry that cannot be read is ignored');
  keepDraft(1, 'request-new-1-any', '{"amount":"340.00"}');
  keepDraft(1, 'new', 'Hello');
  keepDraft(1, 'new-subject', 'A question');
  keepDraft(1, 'new-attempt', '{"key":"k","content":"Hello"}');
  assert.deepEqual([readAttempt(1), readAttempt(2)], [{ key: 'k', content: 'Hello' }, null]);
  assert.deepEqual(chainsWithOutgoing(1), [7, 8]);
  assert.deepEqual(countDrafts(1), { messages: 4, requests: 1 });
  assert.deepEqual(countDrafts(11), { messages: 0, requests: 0 });
  keepDraft(1, 'new', 'Hello again');
  assert.deepEqual(readAttempt(1), { key: 'k', content: 'Hello' }, 'the attempt stays while there is text');
  keepDraft(1, 'new-subject', '');
  assert.deepEqual(readAttempt(1), { key: 'k', content: 'Hello' });
  keepDraft(1, 'new', '');
  assert.equal(readAttempt(1), null, 'the attempt is deleted with the text');
  for (const value of [null, 'k', {}, { key: 'k' }, { content: 'x' }, { key: 1, content: 'x' }, { key: 'k', content: 1 }])
    assert.equal(asAttempt(value), null, JSON.stringify(value));
  clearDrafts();
  assert.deepEqual([keys(), readOutgoing(1, 8)], [[], []]);
  assert.deepEqual(countDrafts(1), { messages: 0, requests: 0 });
});
