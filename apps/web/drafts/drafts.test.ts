import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attemptKey,
  chainsWithOutgoing,
  clearDrafts,
  countDrafts,
  forgetOutgoing,
  forgetSent,
  isOutgoingKept,
  joinDrafts,
  keepOutgoing,
  readDraft,
  readOutgoing,
  saveDraft,
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
  saveDraft(1, 'request-new-1-any', '{"amount":"340.00"}');
  saveDraft(1, 'new', 'Hello');
  saveDraft(1, 'new-subject', 'A question');
  attemptKey(1, 'new', 'Hello');
  assert.deepEqual(chainsWithOutgoing(1), [7, 8]);
  assert.deepEqual(countDrafts(1), { messages: 4, requests: 1 });
  assert.deepEqual(countDrafts(11), { messages: 0, requests: 0 });
  clearDrafts();
  assert.deepEqual([keys(), readOutgoing(1, 8)], [[], []]);
  assert.deepEqual(countDrafts(1), { messages: 0, requests: 0 });
});

test('[IDEMPOTENCY-1] an attempt keeps its key until its content changes, is deleted, or has arrived', (t) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage');
  t.after(() => before !== undefined && Object.defineProperty(globalThis, 'localStorage', before));
  const full = sharedStorage();
  full.setItem = () => {
    throw new DOMException('Full', 'QuotaExceededError');
  };
  for (const storage of [sharedStorage(), full, null]) {
    Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true });
    saveDraft(1, 'new', 'Hello ');
    saveDraft(1, 'new-subject', 'A question');
    const key = attemptKey(1, 'new', 'Hello');
    assert.equal(attemptKey(1, 'new', 'Hello'), key, 'the same content');
    for (const other of [attemptKey(2, 'new', 'Hello'), attemptKey(1, 'about-7', 'Hello')]) assert.notEqual(other, key);
    saveDraft(1, 'new-subject', '');
    saveDraft(1, 'new', 'Hello again');
    assert.equal(attemptKey(1, 'new', 'Hello'), key, 'the attempt stays while there is text');
    saveDraft(1, 'new', '');
    const second = attemptKey(1, 'new', 'Hello');
    assert.notEqual(second, key, 'the attempt is deleted with the text');
    saveDraft(1, 'new', 'Something else');
    forgetSent(1, 'new', 'Hello');
    assert.equal(readDraft(1, 'new'), 'Something else', 'a draft that was begun meanwhile stays');
    const third = attemptKey(1, 'new', 'Hello');
    assert.notEqual(third, second, 'the message has arrived');
    assert.notEqual(attemptKey(1, 'new', 'Hello there'), third, 'other content');
    saveDraft(1, 'new', ' Hello ');
    saveDraft(1, 'new-subject', 'A question');
    forgetSent(1, 'new', 'Hello');
    assert.deepEqual([readDraft(1, 'new'), readDraft(1, 'new-subject')], ['', '']);
    clearDrafts();
  }
  const storage = sharedStorage();
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true });
  for (const broken of ['{', 'null', '"k"', '{"key":"k"}', '{"key":1,"content":"Hello"}', '{"key":"k","content":1}']) {
    storage['case-platform.draft.1.new.attempt'] = broken;
    assert.match(attemptKey(1, 'new', 'Hello'), /^[0-9a-f-]{36}$/, broken);
  }
});
