import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSignInProblem, SignInError, type SignInProblem, signInProblemWords } from './sign-in-errors.ts';

test('[WEB-15] the two-factor error carries type and method to the form', () => {
  const problem: SignInProblem = { code: 'two_factor', type: 'otp', method: 'sms' };
  assert.deepEqual(readSignInProblem(new SignInError(problem).message), problem);
});

test('every problem passes through next-auth unchanged', () => {
  const problems: SignInProblem[] = [
    { code: 'wrong' },
    { code: 'wrong_code' },
    { code: 'challenge_over' },
    { code: 'invalid' },
    { code: 'throttled', seconds: 720 },
    { code: 'unfamiliar' },
    { code: 'unavailable' },
  ];
  for (const problem of problems) assert.deepEqual(readSignInProblem(new SignInError(problem).message), problem);
});

test('errors of next-auth itself are shown as an outage', () => {
  for (const text of ['', 'CredentialsSignin', 'two_factor:x:y', '<b>']) {
    assert.deepEqual(readSignInProblem(text), { code: 'unavailable' });
  }
});

test('a wait is shown in seconds or minutes', () => {
  assert.match(signInProblemWords({ code: 'throttled', seconds: 43 }).text, /wait 43 seconds/);
  assert.match(signInProblemWords({ code: 'throttled', seconds: 841 }).text, /wait 15 minutes/);
});

test('[SIGN-IN-6] a person who is locked out by guesses from elsewhere reads the way in', () => {
  assert.match(signInProblemWords({ code: 'unfamiliar' }).text, /Forgot your password/);
});
