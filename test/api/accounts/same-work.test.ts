import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { test } from 'node:test';
import { DEMO_PASSWORD } from '../../support/cast.ts';
import { startApi } from '../../support/platform.ts';

const api = await startApi();

/** Counts the argon2 hashes during some work. Their jobs are the only async resources without a type name. */
async function countHashes(work: () => Promise<unknown>): Promise<number> {
  let hashes = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'undefined') hashes += 1;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return hashes;
}

const login = (email_address: string, user_type: string, pass_hash: string) =>
  api.anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash });

async function countOfLogin(email_address: string, user_type: string, pass_hash: string, status: number) {
  return countHashes(async () => {
    assert.equal((await login(email_address, user_type, pass_hash)).status, status, email_address);
  });
}

test('[SIGN-IN-3] a sign-in costs one hash, with or without an account behind it', async () => {
  // The first sign-in without an account also creates the hash that belongs to no one, which later ones are compared with.
  await login('nobody@demo.test', 'admin', 'wrong');
  assert.equal(await countOfLogin('parent@demo.test', 'intended_parent', DEMO_PASSWORD, 200), 1, 'the right password');
  assert.equal(await countOfLogin('parent@demo.test', 'intended_parent', 'wrong', 401), 1, 'a wrong password');
  assert.equal(await countOfLogin('nobody@demo.test', 'intended_parent', 'wrong', 401), 1, 'no such address');
  assert.equal(await countOfLogin('parent@demo.test', 'surrogate', 'wrong', 401), 1, 'another role');
  await api.pool.query(`update user_account set status = 'deactivated' where email_address = 'surrogate@demo.test'`);
  assert.equal(await countOfLogin('surrogate@demo.test', 'surrogate', DEMO_PASSWORD, 401), 1, 'deactivated');
  await api.pool.query(`update user_account set password_hash = null where email_address = 'rep@demo.test'`);
  assert.equal(await countOfLogin('rep@demo.test', 'ip_company', 'wrong', 401), 1, 'without a password');
});

test('[PASSWORD-4] requesting a reset costs no hash, and reads no account', async () => {
  for (const email_address of ['parent@demo.test', 'nobody@demo.test']) {
    const request = { email_address, user_type: 'intended_parent' };
    const hashes = await countHashes(async () => {
      const { status } = await api.anonymous.post('/api/user/auth/password-reset/request', request);
      assert.equal(status, 202);
    });
    assert.equal(hashes, 0, email_address);
  }
});
