import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountProblem, fieldProblems } from './account-words.ts';
import { ApiError } from './api-error.ts';

test('[WEB-13] rejections of the API are explained in words, without a code', () => {
  assert.match(accountProblem(new ApiError(401, 'x', { code: 'wrong_password' })), /current password/);
  assert.match(accountProblem(new ApiError(429, 'x', { retryAfter: 43 })), /wait 43 seconds/);
  assert.match(accountProblem(new ApiError(429, 'x')), /wait 1 minute/);
  assert.equal(accountProblem(new ApiError(409, 'Another method is on.', { code: 'two_factor_on' })), 'Another method is on.');
});

test('[WEB-13] an outage is not blamed on the person', () => {
  for (const error of [new TypeError('x'), ...[0, 500, 502, 599].map((status) => new ApiError(status, 'x'))]) {
    assert.match(accountProblem(error), /can’t reach our servers/);
    // Its answer may be all that got lost.
    assert.match(accountProblem(error), /don’t know whether that was saved/);
  }
  for (const status of [400, 409, 499]) assert.equal(accountProblem(new ApiError(status, 'Words.')), 'Words.', String(status));
});

test('[WEB-13] fields are named in words', () => {
  const error = new ApiError(422, 'x', { fields: { phone: 'phone must be', pass_hash: 'Too short.' } });
  assert.match(fieldProblems(error).phone ?? '', /\+1 202 555 0143/);
  assert.equal(fieldProblems(error).pass_hash, 'Too short.');
  assert.deepEqual(fieldProblems(new Error('x')), {});
});
