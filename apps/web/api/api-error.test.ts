import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTemporary, parseRetryAfter } from '@case-platform/words/retry-after';
import { outcomeOf } from '../messages/compose/outbox-reducer.ts';
import { isAnswerLost } from './account-words.ts';
import { ApiError, endsSession, errorFromAnswer, errorMessage, isMissing, isReadRepeated, rejectionWords } from './api-error.ts';

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
  assert.equal(errorMessage('odd'), 'We can’t reach our servers. Check your connection and try again.');
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
  const limited = { ok: false, status: 429, message: words };
  const wrong = { ok: false, status: 422, message: 'Choose a day.' };
  const others = [null, { ok: true, status: 200, data: {} }, { ok: false, status: 503, message: 'Out.' }];
  assert.equal(rejectionWords(errorFromAnswer(429, { message: words }, '24')), words);
  assert.equal(rejectionWords(...others), null);
  for (const other of [...others, wrong]) {
    assert.equal(rejectionWords(other, limited), words);
    assert.equal(rejectionWords(limited, other), words);
  }
  assert.equal(rejectionWords(...others, wrong), 'Choose a day.');
  assert.equal(rejectionWords({ ok: false, status: 429, message: '' }), null, 'no words');
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

test('[WEB-13] one table says for each status what a failed call means to the page', () => {
  for (const status of STATUSES) {
    const error = errorFromAnswer(status, { message: 'Words.', code: 'any' }, '7');
    const outcome = outcomeOf(error, { now: 1000, isOnline: true });
    const meaning = {
      endsSession: endsSession(error),
      isMissing: isMissing(error),
      isLost: isAnswerLost(error),
      repeats: [0, 1, 2].map((failures) => isReadRepeated(failures, error)),
      saysWhy: rejectionWords(error) !== null,
      waits: outcome.kind === 'waits' ? outcome.wait : null,
      goesOnAfterSignIn: outcome.kind === 'failed' && outcome.resumes,
    };
    assert.deepEqual(
      meaning,
      {
        endsSession: status === 401,
        isMissing: status === 403 || status === 404,
        isLost: status === 0 || status >= 500,
        repeats: [0, 408, 425].includes(status) || status >= 500 ? [true, true, false] : [false, false, false],
        saysWhy: status >= 400 && status < 500 && ![408, 425].includes(status),
        waits: status === 429 ? { state: 'waiting', goesAt: 8000 } : null,
        goesOnAfterSignIn: status === 401,
      },
      String(status),
    );
  }
});

test('[OUTBOX-2] a message without an answer waits for the network only while the browser is offline', () => {
  const error = new ApiError(0, 'No network.');
  const online = outcomeOf(error, { now: 1000, isOnline: true });
  assert.deepEqual(online, { kind: 'unreachable', error: 'No network.', at: 1000 });
  const offline = outcomeOf(error, { now: 1000, isOnline: false });
  assert.deepEqual(offline, { kind: 'waits', wait: { state: 'waiting', goesAt: null } });
});

test('[OUTBOX-2] a message that is rejected for its rate without a time waits a minute; other failures wait for the person', () => {
  const outcome = (error: unknown) => outcomeOf(error, { now: 1000, isOnline: false });
  const wait = (state: string, goesAt: number) => ({ kind: 'waits', wait: { state, goesAt } });
  const fail = (error: string | null, resumes: boolean) => ({ kind: 'failed', error, resumes });
  assert.deepEqual(outcome(errorFromAnswer(429, null, 'soon')), wait('waiting', 61_000));
  const inFlight = errorFromAnswer(409, { code: 'idempotency_key_in_flight', message: 'Still running.' });
  assert.deepEqual(outcome(inFlight), wait('sending', 3000));
  assert.deepEqual(outcome(new TypeError('network')), fail('network', false));
  assert.equal(isAnswerLost(new TypeError('network')), true);
  assert.deepEqual(outcome(new DOMException('Cancelled', 'AbortError')), fail(null, false));
  assert.deepEqual(outcome(errorFromAnswer(403, { code: 'other_reader', message: 'Reload.' })), fail('Reload.', true));
});

test('a call may succeed later after exactly these statuses', () => {
  const temporary = Array.from({ length: 500 }, (_, at) => 100 + at).filter(isTemporary);
  const failures = Array.from({ length: 100 }, (_, at) => 500 + at);
  assert.deepEqual(temporary, [408, 425, 429, ...failures]);
});

test('Retry-After is a number of seconds or a date, at most a day, and nothing else', () => {
  const now = Date.parse('2026-11-26T12:00:00.500Z');
  const waits: [header: string | null | undefined, seconds: number | null][] = [
    [null, null],
    [undefined, null],
    ['', null],
    ['0', null],
    ['1', 1],
    [' 7 ', 7],
    ['86399', 86_399],
    ['86401', 86_400],
    ['99999999999999999999', 86_400],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['Thu, 26 Nov 2026 12:00:00 GMT', null],
    ['Thu, 26 Nov 2026 12:00:01 GMT', 1],
    ['Thu, 26 Nov 2026 12:01:00 GMT', 60],
    ['Sat, 28 Nov 2026 12:00:00 GMT', 86_400],
    ['2026-11-26T13:00:00Z', null],
  ];
  for (const [header, seconds] of waits) assert.equal(parseRetryAfter(header, now), seconds, String(header));
});
