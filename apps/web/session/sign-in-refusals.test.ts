import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeProblem, passwordProblem, type Refusal, resendAnswer } from './sign-in-refusals.ts';

const resendProblem = (refusal: Refusal) => resendAnswer({ kind: 'refused', ...refusal }).problem ?? { code: null };

/** The problem of each step by status. A 5xx is an outage and does not get here (api-auth.ts). */
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

test('[WEB-13] one table says for each status what a person reads while signing in', () => {
  for (const [status, ...expected] of TABLE) {
    const refusal = { status, code: undefined, retryAfter: null };
    const problems = [passwordProblem, codeProblem, resendProblem].map((problem) => problem(refusal).code);
    assert.deepEqual(problems, expected, String(status));
  }
});

test('[WEB-13] the browser keeps its sign-in when another code cannot be sent yet, and starts again after a rejection', () => {
  for (const [status, , , problem] of TABLE) {
    const answer = resendAnswer({ kind: 'refused', status, code: undefined, retryAfter: 7 });
    const own = { challenge_over: 409, throttled: 429 }[problem] ?? 503;
    assert.deepEqual([answer.status, answer.endsChallenge], [own, own === 409], String(status));
  }
  const unavailable = { status: 503, problem: { code: 'unavailable' }, endsChallenge: false };
  assert.deepEqual(resendAnswer({ kind: 'unavailable' }), unavailable);
  assert.deepEqual(resendAnswer({ kind: 'ok', value: {} }), { status: 202, problem: null, endsChallenge: false });
});

test('[WEB-13] the API’s code decides where one status has two meanings, and its wait is shown', () => {
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
