import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenRejectedError, withCsrfToken } from './with-csrf-token.ts';

const REFUSED = 'http://localhost:3000/api/auth/signout?csrf=true';

/** The answers of next-auth in order. The last one repeats. */
function createSignOut(...urls: (string | null)[]) {
  const answers: (string | null)[] = [];
  const signOut = async () => {
    const url = urls[Math.min(answers.length, urls.length - 1)] ?? null;
    answers.push(url);
    return { url };
  };
  return { answers, signOut };
}

test('[WEB-1] a token that was rejected is requested again, as often as three other pages received one', async () => {
  const { answers, signOut } = createSignOut(REFUSED, REFUSED, REFUSED, 'http://localhost:3000/login');
  assert.deepEqual(await withCsrfToken(signOut), { url: 'http://localhost:3000/login' });
  assert.equal(answers.length, 4);
});

test('[WEB-1] where each token is rejected, the result is an error and not an endless loop', async () => {
  await assert.rejects(withCsrfToken(createSignOut(REFUSED).signOut), TokenRejectedError);
});

test('[WEB-1] an answer that is not a rejection is requested once, for any address', async () => {
  for (const url of [null, 'http://localhost:3000/cases?csrf=true', 'http://localhost:3000/api/auth/error?error=x']) {
    const { answers, signOut } = createSignOut(url, REFUSED);
    assert.deepEqual(await withCsrfToken(signOut), { url });
    assert.equal(answers.length, 1);
  }
  assert.equal(await withCsrfToken(async () => undefined), undefined);
});
