import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenKeys, issueTokens, type TokenPurpose, verifyToken } from './tokens.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const after = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const user = {
  id: 7,
  email_address: 'ann@demo.test',
  user_type: 'ip' as const,
  first_name: 'Ann',
  last_name: '',
  agency_id: null,
  admin_role_id: null,
};
const options = { secret: 'a secret of at least thirty-two bytes', accessTokenTtl: 900, refreshTokenTtl: 3600 };

test('[TOKEN-3, TOKEN-4] a token that was verified before is checked for its purpose and its end each time', async () => {
  const keys = createTokenKeys(options);
  const { access_token: token } = await issueTokens(keys, user, NOW);
  const accepts = (purpose: TokenPurpose, now: Date) =>
    verifyToken(keys, purpose, token, now).then(
      ({ user_id, signed_in_at }) => user_id === 7 && signed_in_at.getTime() === NOW.getTime(),
      () => false,
    );
  const all = async () => [
    await accepts('access', NOW),
    await accepts('access', after(899.999)),
    await accepts('access', after(900)),
    await accepts('refresh', NOW),
    await accepts('tfa', NOW),
  ];
  for (const turn of ['first', 'again']) assert.deepEqual(await all(), [true, true, false, false, false], turn);
  assert.deepEqual([...keys.verified.keys()], [token]);
});

test('[TOKEN-3] a process remembers ten thousand verified tokens, and forgets the oldest first', async () => {
  const keys = createTokenKeys(options);
  for (let at = 0; at < 10_000; at += 1) keys.verified.set(`token ${at}`, {});
  const { access_token: token } = await issueTokens(keys, user, NOW);
  for (let turn = 0; turn < 2; turn += 1) await verifyToken(keys, 'access', token, NOW);
  assert.deepEqual([keys.verified.size, keys.verified.has('token 0'), keys.verified.has('token 1')], [10_000, false, true]);
  assert.ok(keys.verified.has(token));
  await assert.rejects(verifyToken(keys, 'access', `${token}x`, NOW));
  assert.equal(keys.verified.has(`${token}x`), false, 'a token that was rejected is not remembered');
});
