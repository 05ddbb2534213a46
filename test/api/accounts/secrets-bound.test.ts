import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decrypt, deriveKey } from '@case-platform/lib/encryption';
import { TOTP } from 'otpauth';
import { makeBackupCodes, spendBackupCode } from '../../../modules/accounts/sign-in/backup-codes.ts';
import { passChallenge } from '../../../modules/accounts/sign-in/challenges.ts';
import { createThrottle } from '../../../modules/accounts/sign-in/throttle.ts';
import { openTotpSecret, sealTotpSecret } from '../../../modules/accounts/sign-in/totp-secret.ts';
import { createAccountSeal } from '../../../modules/banking/bank-accounts/seal-account-number.ts';
import { readBatchFile, sealFile } from '../../../modules/banking/batches/batch-file.ts';
import { readProofCode, writeProofCode } from '../../../modules/banking/proof/proof-code.ts';
import { lastCode } from '../../support/codes.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { startApi } from '../../support/platform.ts';

/** A secret is encrypted for one row. Moved to another row it cannot be decrypted, and cannot be used to sign in or be paid. */

const KEY = TEST_SECRETS.encryptionKey;
const SEED = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const api = await startApi();
const sql = async (text: string, ...values: unknown[]) => (await api.pool.query(text, values)).rows;
const [{ id: totpId }] = await sql(`select id::int from user_account where email_address = 'totp@demo.test'`);
const surrogate = await api.as('surrogate');

test('[BANK-5, NACHA-5] an account number opens for its owner only, and a file for its batch', () => {
  const seal = createAccountSeal(KEY);
  const sealed = seal.seal({ user_id: 1 }, '123456789');
  assert.equal(seal.open({ user_id: 1 }, sealed), '123456789');
  for (const owner of [{ user_id: 2 }, { user_id: 11 }, 'originating bank'] as const)
    assert.throws(() => seal.open(owner, sealed), JSON.stringify(owner));
  // A file cannot be decrypted as an account number.
  const file = sealFile(KEY, 1, '123456789');
  assert.throws(() => seal.open({ user_id: 1 }, file));
  // The key of account numbers does not decrypt it with the file's own binding either, because each kind has its own key.
  const [ofAccounts, ofFiles] = ['bank account number', 'bank file'].map((purpose) => deriveKey(KEY, purpose));
  assert.ok(ofAccounts && ofFiles);
  assert.equal(decrypt(ofAccounts, sealed, 'user:1'), '123456789');
  assert.equal(decrypt(ofFiles, file, 'batch:1'), '123456789');
  assert.throws(() => decrypt(ofAccounts, file, 'batch:1'));
  for (const at of [0, 12, sealed.length - 1]) {
    const tampered = Buffer.from(sealed);
    tampered[at] = (tampered[at] ?? 0) ^ 1;
    assert.throws(() => seal.open({ user_id: 1 }, tampered), `byte ${at}`);
  }
});

test('[NACHA-5] a file in another batch’s row, or one that is not the one that was made, is not read', async () => {
  const put = (text: string, sealedFor: (id: number) => number, sha256: string) =>
    sql(
      `insert into banking_batch (status, created_by, entry_count, total_cents) values ('draft', $1, 0, 0) returning id::int`,
      surrogate.userId,
    ).then(async ([{ id }]) => {
      await sql(
        `update banking_batch set file = $2, file_sha256 = sha256($3::bytea), effective_date = '2026-11-24',
                file_day = '2026-11-23', file_id_modifier = $4 where id = $1`,
        id,
        sealFile(KEY, sealedFor(id), text),
        sha256,
        'ABCDEFG'[id % 7],
      );
      return id as number;
    });
  const own = await put('a file', (id) => id, 'a file');
  assert.equal(await readBatchFile(api.db, KEY, own), 'a file');
  await assert.rejects(readBatchFile(api.db, KEY, await put('a file', (id) => id + 1, 'a file')));
  await assert.rejects(readBatchFile(api.db, KEY, await put('another', (id) => id, 'a file')), /not the one/);
});

test('[TWO-FACTOR-12] a mailed code opens its own challenge: in another challenge’s row it signs no one in', async () => {
  const login = async () => {
    const credentials = {
      email_address: 'mailotp@demo.test',
      user_type: 'intended_parent',
      pass_hash: 'Demo-Passw0rd!',
    };
    const { tfa_token } = (await api.anonymous.post('/api/user/auth/login', credentials)).body;
    const [{ id, code_hash }] = await sql('select id, code_hash from tfa_challenge order by created_at desc limit 1');
    return { tfa_token, id, code_hash, code: await lastCode(api, 'email') };
  };
  const [first, second] = [await login(), await login()];
  const verify = ({ tfa_token }: { tfa_token: string }, code: string) =>
    api.anonymous.post('/api/user/auth/verify-totp', { tfa_token, code }).then(({ status }) => status);
  await sql('update tfa_challenge set code_hash = $2 where id = $1', second.id, first.code_hash);
  assert.equal(await verify(second, first.code), 401);
  await sql('update tfa_challenge set code_hash = $2 where id = $1', second.id, second.code_hash);
  assert.equal(await verify(second, second.code), 200, 'in its own row it does');
});

test('[TWO-FACTOR-12] codes that can be guessed from a plain hash are hashed with the secret of the platform: with another secret they are wrong', async () => {
  const OTHER = `another secret ${KEY}`;
  const [code = ''] = await api.db.transaction((tx) => makeBackupCodes(tx, KEY, totpId));
  const spend = (key: string) => api.db.transaction((tx) => spendBackupCode(tx, key, totpId, code, new Date()));
  assert.deepEqual([await spend(OTHER), await spend(KEY)], [false, true]);

  const credentials = { email_address: 'mailotp@demo.test', user_type: 'intended_parent', pass_hash: 'Demo-Passw0rd!' };
  assert.equal((await api.anonymous.post('/api/user/auth/login', credentials)).status, 200);
  const [{ id }] = await sql('select id from tfa_challenge order by created_at desc limit 1');
  const answer = { code: await lastCode(api, 'email') };
  const pass = (encryptionKey: string) => {
    const context = { db: api.db, throttle: createThrottle(api.pool), encryptionKey, sendCode: async () => {} };
    return passChallenge(context, { id, purpose: 'api_login', answer }, new Date());
  };
  await assert.rejects(pass(OTHER), { code: 'wrong_code' });
  assert.equal((await pass(KEY)).method, 'email');

  const stated = { id: null, case_id: 1, amount_cents: 100, made_at: new Date('2026-11-20T10:00:00Z') };
  const proof = writeProofCode(KEY, stated);
  assert.deepEqual([readProofCode(OTHER, proof), readProofCode(KEY, proof)], [null, stated]);
});

test('[TWO-FACTOR-12] a TOTP seed works for its account only: in another row it signs no one in', async () => {
  const sealed = sealTotpSecret(KEY, totpId, SEED);
  assert.equal(openTotpSecret(KEY, totpId, sealed), SEED);
  assert.throws(() => openTotpSecret(KEY, surrogate.userId, sealed));
  const login = async (email_address: string, code: () => string) => {
    const credentials = { email_address, user_type: 'surrogate', pass_hash: 'Demo-Passw0rd!' };
    const { tfa_token } = (await api.anonymous.post('/api/user/auth/login', credentials)).body;
    return (await api.anonymous.post('/api/user/auth/verify-totp', { tfa_token, code: code() })).status;
  };
  const code = () => new TOTP({ secret: SEED }).generate();
  assert.equal(await login('totp@demo.test', code), 200, 'in its own row it does');
  await sql(
    `update user_account set two_factor_method = 'app', totp_last_step = null,
            two_factor_secret = (select two_factor_secret from user_account where id = $2) where id = $1`,
    surrogate.userId,
    totpId,
  );
  assert.notEqual(await login('surrogate@demo.test', code), 200);
  await sql(`update user_account set two_factor_method = null, two_factor_secret = null where id = $1`, surrogate.userId);
});

test('[TWO-FACTOR-12] a backup code is used on its own account, once', async () => {
  const spend = (userId: number, code: string) => api.db.transaction((tx) => spendBackupCode(tx, KEY, userId, code, new Date()));
  const [code = ''] = await api.db.transaction((tx) => makeBackupCodes(tx, KEY, totpId));
  assert.equal(await spend(surrogate.userId, code), false);
  await sql('update backup_code set user_id = $1', surrogate.userId);
  assert.equal(await spend(surrogate.userId, code), false, 'moved to another account');
  assert.equal(await spend(totpId, code), false, 'and no longer among its own');
  await sql('update backup_code set user_id = $1', totpId);
  assert.deepEqual([await spend(totpId, code), await spend(totpId, code)], [true, false]);
});
