import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endsSession, errorFromAnswer, errorMessage, tooManyWords } from './api-error.ts';

test('[Errors 10] an API error is read from its message field, and names the fields that it is about', () => {
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

test('[Errors 10] without an answer the network error speaks', () => {
  assert.equal(errorMessage(new TypeError('Failed to fetch')), 'Failed to fetch');
  assert.equal(errorMessage('odd'), 'We can’t reach Case Platform. Check your connection and try again.');
});

test('[Errors 8] a 401 ends the session, unless it refuses the password or code that was just entered', () => {
  for (const code of ['not_authenticated', undefined, 'anything'])
    assert.equal(endsSession({ status: 401, code }), true);
  for (const code of ['wrong_password', 'wrong_code', 'challenge_ended']) {
    assert.equal(endsSession({ status: 401, code }), false, code);
  }
  assert.equal(endsSession({ status: 403, code: undefined }), false);
});

test('[decisions 12] whoever asked for too much is told in the API’s words when to go on, of a page and of a call', () => {
  const words = 'You’re going faster than we can keep up. Try again in 24 seconds.';
  assert.equal(tooManyWords({ ok: false, status: 429, message: words }), words);
  assert.equal(tooManyWords(errorFromAnswer(429, { message: words }, '24')), words);
  for (const other of [null, { ok: true, status: 200, data: {} }, { ok: false, status: 503, message: words }]) {
    assert.equal(tooManyWords(other), null);
  }
});
