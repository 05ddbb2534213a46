import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeProblem, passwordProblem, resendProblem } from './sign-in-refusals.ts';

/** By status, what each step says. A 5xx does not get here: it is an outage (api-auth.ts). */
const TABLE: [status: number, password: string, code: string, resend: string][] = [
  [400, 'invalid', 'wrong_code', 'challenge_over'],
  [401, 'wrong', 'challenge_over', 'challenge_over'],
  [403, 'wrong', 'wrong_code', 'challenge_over'],
  [404, 'invalid', 'wrong_code', 'challenge_over'],
  [408, 'unavailable', 'unavailable', 'unavailable'],
  [409, 'invalid', 'wrong_code', 'challenge_over'],
  [413, 'invalid', 'wrong_code', 'challenge_over'],
  [415, 'invalid', 'wrong_code', 'challenge_over'],
  [422, 'invalid', 'wrong_code', 'challenge_over'],
  [425, 'unavailable', 'unavailable', 'unavailable'],
  [429, 'throttled', 'throttled', 'throttled'],
];

test('[Errors 9] for each status, one table states what a person is told while signing in', () => {
  for (const [status, ...expected] of TABLE) {
    const refusal = { status, code: undefined, retryAfter: null };
    const problems = [passwordProblem, codeProblem, resendProblem].map((problem) => problem(refusal).code);
    assert.deepEqual(problems, expected, String(status));
  }
});

test('[Errors 9] the API’s word decides where one status has two meanings, and its wait is the one that is shown', () => {
  const wrongCode = { status: 401, code: 'wrong_code', retryAfter: null };
  assert.deepEqual(codeProblem(wrongCode), { code: 'wrong_code' });
  for (const status of [401, 403, 429]) {
    const unfamiliar = { status, code: 'unfamiliar_address', retryAfter: 7 };
    assert.deepEqual(passwordProblem(unfamiliar), { code: 'unfamiliar' });
  }
  for (const [retryAfter, seconds] of [
    [7, 7],
    [null, 60],
  ] as const) {
    const throttled = { status: 429, code: 'too_many_requests', retryAfter };
    for (const problem of [passwordProblem, codeProblem, resendProblem])
      assert.deepEqual(problem(throttled), { code: 'throttled', seconds });
  }
});
