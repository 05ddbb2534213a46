import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRetryAfter } from '@case-platform/words/retry-after';
import { endedWithSession, keptEntry, waitsFor } from '../messages/compose/outbox-entry.ts';
import { isAnswerLost } from './account-words.ts';
import { ApiError, endsSession, errorFromAnswer, errorMessage, isReadRepeated, tooManyWords } from './api-error.ts';

test('[ERROR-1, WEB-13] an API error is read from its message field, and names the fields that it is about', () => {
  const error = errorFromAnswer(
    422,
    { message: 'Too short.', code: 'password_short', errors: [{ field: 'pass_hash', message: 'Too short.' }, 'odd'] },
    null,
  );
  assert.deepEqual(
    [error.status, error.message, error.code, error.fields],
    [422, 'Too short.', 'password_short', { pass_hash: 'Too short.' }],
  );
  for (const body of [null, 'gateway', { message: 7, code: 7, errors: 'x' }]) {
    const odd = errorFromAnswer(502, body, 'soon');
    assert.deepEqual([odd.message, odd.code, odd.fields], ['The platform answered with status 502.', undefined, {}]);
    assert.equal(odd.retryAfter, undefined);
  }
  assert.equal(errorFromAnswer(429, null, '43').retryAfter, 43);
});

test('[WEB-13] without an answer the network error is shown', () => {
  assert.equal(errorMessage(new TypeError('Failed to fetch')), 'Failed to fetch');
  assert.equal(errorMessage('odd'), 'We can’t reach Case Platform. Check your connection and try again.');
});

test('[WEB-9] a 401 ends the session, unless it rejects the password or code that was just entered', () => {
  for (const code of ['not_authenticated', undefined, 'anything']) assert.equal(endsSession({ status: 401, code }), true);
  for (const code of ['wrong_password', 'wrong_code', 'challenge_ended']) {
    assert.equal(endsSession({ status: 401, code }), false, code);
  }
  assert.equal(endsSession({ status: 403, code: undefined }), false);
});

test('[RATE-3] a person over a limit reads in the API’s words when to continue, on a page and after a call', () => {
  const words = 'You’re going faster than we can keep up. Try again in 24 seconds.';
  assert.equal(tooManyWords({ ok: false, status: 429, message: words }), words);
  assert.equal(tooManyWords(errorFromAnswer(429, { message: words }, '24')), words);
  for (const other of [null, { ok: true, status: 200, data: {} }, { ok: false, status: 503, message: words }]) {
    assert.equal(tooManyWords(other), null);
  }
});

test('[ERROR-6] Retry-After is read in seconds or as a date, by the reader’s clock, and is at most a day', () => {
  const now = Date.parse('2026-11-20T10:00:00Z');
  const date = 'Fri, 20 Nov 2026 10:00:30 GMT';
  const DAY = 24 * 60 * 60;
  const expected: [header: string | null | undefined, now: number, seconds: number | null][] = [
    ['43', now, 43],
    [' 43 ', now, 43],
    ['0', now, null],
    ['-1', now, null],
    ['1.5', now, null],
    ['1e3', now, null],
    ['0x10', now, null],
    ['Infinity', now, null],
    ['9'.repeat(400), now, DAY],
    [String(DAY + 1), now, DAY],
    [date, now, 30],
    [date, now + 29_000, 1],
    [date, now + 29_999, 1],
    [date, now + 30_000, null],
    [date, now + 30_001, null],
    [date, now + 3_600_000, null],
    [date, now - 10 * DAY * 1000, DAY],
    ['2026-11-20T10:00:30Z', now, null],
    ['soon', now, null],
    ['', now, null],
    [null, now, null],
    [undefined, now, null],
  ];
  for (const [header, at, seconds] of expected) assert.equal(parseRetryAfter(header, at), seconds, String(header));
});

const STATUSES = [0, 301, 302, 400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 422, 425, 429, 500, 502, 503, 504, 507];

test('[WEB-13] one table says for each status what a failed call means to the page', (t) => {
  t.after(() => Reflect.deleteProperty(navigator, 'onLine'));
  Object.defineProperty(navigator, 'onLine', { value: true, configurable: true });
  for (const status of STATUSES) {
    const error = errorFromAnswer(status, { message: 'Words.', code: 'any' }, '7');
    const meaning = {
      endsSession: endsSession(error),
      isLost: isAnswerLost(error),
      repeats: [0, 1, 2].map((failures) => isReadRepeated(failures, error)),
      isTooMany: tooManyWords(error) !== null,
      waits: waitsFor(error, 1000),
      goesOnAfterSignIn: endedWithSession(error),
    };
    assert.deepEqual(
      meaning,
      {
        endsSession: status === 401,
        isLost: status === 0 || status >= 500,
        repeats: [0, 408, 425].includes(status) || status >= 500 ? [true, true, false] : [false, false, false],
        isTooMany: status === 429,
        waits: status === 429 ? { state: 'waiting', goesAt: 8000 } : null,
        goesOnAfterSignIn: status === 401,
      },
      String(status),
    );
  }
});

test('[OUTBOX-2] a message without an answer waits for the network only while the browser is offline', (t) => {
  t.after(() => Reflect.deleteProperty(navigator, 'onLine'));
  for (const onLine of [true, false]) {
    Object.defineProperty(navigator, 'onLine', { value: onLine, configurable: true });
    const waiting = waitsFor(new ApiError(0, 'No network.'), 1000);
    assert.deepEqual(waiting, onLine ? null : { state: 'waiting', goesAt: null });
  }
});

test('[OUTBOX-2] a message that is rejected for its rate without a time waits a minute; other failures wait for the person', () => {
  assert.deepEqual(waitsFor(errorFromAnswer(429, null, 'soon'), 1000), { state: 'waiting', goesAt: 61_000 });
  assert.equal(waitsFor(new TypeError('network'), 1000), null);
  assert.equal(isAnswerLost(new TypeError('network')), true);
  assert.equal(endedWithSession(errorFromAnswer(403, { code: 'other_reader' })), true);
});

test('[OUTBOX-1] a message left by a closed page is sent within a day of its start, and not from that instant on', () => {
  const startedAt = '2026-11-20T10:00:00.000Z';
  const outgoing = { key: 'k', text: 'Hello', fileNames: [], startedAt, underWay: true } as Parameters<typeof keptEntry>[0];
  const end = Date.parse(startedAt) + 24 * 60 * 60_000;
  for (const offset of [-1000, -1, 0, 1, 1000]) {
    assert.equal(keptEntry(outgoing, end + offset).state, offset < 0 ? 'sending' : 'failed', String(offset));
  }
  assert.equal(keptEntry(outgoing, Date.parse(startedAt) - 1000).state, 'sending', 'a clock that went back');
});
