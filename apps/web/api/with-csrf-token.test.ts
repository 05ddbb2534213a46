import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenRefused, withCsrfToken } from './with-csrf-token.ts';

const REFUSED = 'http://localhost:3000/api/auth/signout?csrf=true';

/** What next-auth answers, one after another; then the last for ever. */
function answering(...urls: (string | null)[]) {
  const asked: (string | null)[] = [];
  const ask = async () => {
    const url = urls[Math.min(asked.length, urls.length - 1)] ?? null;
    asked.push(url);
    return { url };
  };
  return { asked, ask };
}

test('[Frontend session] a token that was refused is asked for anew, as often as three other pages were given one', async () => {
  const { asked, ask } = answering(REFUSED, REFUSED, REFUSED, 'http://localhost:3000/login');
  assert.deepEqual(await withCsrfToken(ask), { url: 'http://localhost:3000/login' });
  assert.equal(asked.length, 4);
});

test('[Frontend session] where each is refused, that is an error and not an endless question', async () => {
  await assert.rejects(withCsrfToken(answering(REFUSED).ask), TokenRefused);
});

test('[Frontend session] an answer that is no refusal is asked for once, whatever its address says', async () => {
  for (const url of [null, 'http://localhost:3000/cases?csrf=true', 'http://localhost:3000/api/auth/error?error=x']) {
    const { asked, ask } = answering(url, REFUSED);
    assert.deepEqual(await withCsrfToken(ask), { url });
    assert.equal(asked.length, 1);
  }
  assert.equal(await withCsrfToken(async () => undefined), undefined);
});
