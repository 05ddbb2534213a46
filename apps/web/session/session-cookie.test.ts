import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSessionCookie, sealSession } from './session-cookie.ts';
import type { SessionToken } from './session-shapes.ts';

const [OLD, NEW] = ['a secret of these tests alone, and long enough', 'another secret of these tests, and long enough'];
const giveSecrets = (NEXTAUTH_SECRET: string, NEXTAUTH_SECRET_PREVIOUS: string) =>
  Object.assign(process.env, {
    API_URL: 'http://127.0.0.1:1',
    NEXTAUTH_URL: 'http://localhost:3000',
    NEXTAUTH_SECRET,
    NEXTAUTH_SECRET_PREVIOUS,
  });
const session = (sid: string): SessionToken => ({
  sub: '1',
  name: 'Ada',
  accessToken: 'access',
  refreshToken: sid,
  userType: 'ip',
  sid,
  accessTokenExpires: Date.now() + 3_600_000,
  refreshAt: Date.now() + 3_600_000,
  setup_status: { is_fully_setup: true, missing_fields: [] },
});
const sealed = async (sid: string) => (await sealSession(session(sid))) ?? '';
const readBy = async (value: string) => (await readSessionCookie({ get: () => ({ value }) }))?.sid;

test('[OPERATE-3] people stay signed in while AUTH_SECRET is changed, on servers that have changed it and on those that have not', async () => {
  giveSecrets(OLD, '');
  const [early, late] = [await sealed('early'), await sealed('late')];
  giveSecrets(OLD, NEW);
  assert.equal(await readBy(early), 'early');
  giveSecrets(NEW, OLD);
  const renewed = await sealed('renewed');
  assert.equal(await readBy(late), 'late', 'sealed before the change');
  giveSecrets(OLD, NEW);
  assert.equal(await readBy(renewed), 'renewed', 'sealed by a server that has changed already');
  giveSecrets(OLD, '');
  const over = await sealed('over');
  giveSecrets(NEW, '');
  assert.equal(await readBy(over), undefined, 'the old secret is no longer accepted');
  assert.equal(await readBy(`${await sealed('whole')}x`), undefined);
});
