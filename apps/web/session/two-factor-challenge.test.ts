import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Challenge, isChallenge, openChallenge, sealChallenge } from './two-factor-challenge.ts';

Object.assign(process.env, {
  API_URL: 'http://127.0.0.1:1',
  NEXTAUTH_URL: 'http://localhost:3000',
  NEXTAUTH_SECRET: 'a secret of these tests alone, and long enough',
  NEXTAUTH_SECRET_PREVIOUS: '',
});
const END = Date.now() + 600_000;
const challenge = (expires_at: string): Challenge => ({
  tfa_type: 'otp',
  tfa_method: 'sms',
  tfa_token: 't',
  expires_at,
});

test('[TWO-FACTOR-13] a challenge is read from its cookie until exactly its end', async () => {
  const issued = challenge(new Date(END).toISOString());
  const { value, maxAge } = await sealChallenge(issued, END - 90_500);
  assert.equal(maxAge, 90);
  for (const offset of [-1000, -1, 0, 1, 1000])
    assert.deepEqual(await openChallenge(value, END + offset), offset < 0 ? issued : null, String(offset));
  for (const late of [END - 1, END, END + 1000]) assert.equal((await sealChallenge(issued, late)).maxAge, 1);
  for (const forged of ['', 'x', `${value}x`]) assert.equal(await openChallenge(forged, END - 1), null);
});

test('[TWO-FACTOR-13] a value without a readable end is not a challenge', () => {
  assert.equal(isChallenge(challenge(new Date(END).toISOString())), true);
  const others = [challenge('soon'), challenge(''), { ...challenge('2026-11-20'), tfa_token: null }, {}, null, 'text'];
  for (const other of others) assert.equal(isChallenge(other), false, JSON.stringify(other));
});
