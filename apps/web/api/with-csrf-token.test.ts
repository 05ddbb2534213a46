import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenRefused, withCsrfToken } from './with-csrf-token.ts';

const REFUSED = 'http://localhost:3000/api/auth/signout?csrf=true';

/** The answers of next-auth in order. The last one repeats. */
function answering(...urls: (string | null)[]) {
  const asked: (string | null)[] = [];
  const ask = async () => {
    const url = urls[Math.min(asked.length, urls.length - 1)] ?? null;
    asked.push(url);
    return { url };
  };
  return { asked, ask };
}

test('[WEB-1] a token that was rejected is requested again, as often as three other pages received one', async () => {
  const { asked, ask } = answering(REFUSED, REFUSED, REFUSED, 'http://localhost:3000/login');
  assert.deepEqual(await withCsrfToken(ask), { url: 'http://localhost:3000/login' });
  assert.equal(asked.length, 4);
});

test('[WEB-1] where each token is rejected, the result is an error and not an endless loop', async () => {
  await assert.rejects(withCsrfToken(answering(REFUSED).ask), TokenRefused);
});

test('[WEB-1] an answer that is not a rejection is requested once, for any address', async () => {
  for (const url of [null, 'http://localhost:3000/cases?csrf=true', 'http://localhost:3000/api/auth/error?error=x']) {
    const { asked, ask } = answering(url, REFUSED);
    assert.deepEqual(await withCsrfToken(ask), { url });
    assert.equal(asked.length, 1);
  }
  assert.equal(await withCsrfToken(async () => undefined), undefined);
});
