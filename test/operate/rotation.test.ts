import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TOTP } from 'otpauth';
import { makeBackupCodes } from '../../modules/accounts/sign-in/backup-codes.ts';
import { createAccountSeal } from '../../modules/banking/bank-accounts/seal-account-number.ts';
import { readBatchFile, sealFile } from '../../modules/banking/batches/batch-file.ts';
import { lastCode } from '../support/codes.ts';
import { createTestDatabase, TEST_SECRETS } from '../support/database.ts';
import { startApi, type TestApi } from '../support/platform.ts';
import { operate } from './operator.ts';

const SEED = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const OLD = TEST_SECRETS.encryptionKey;
const NEW = 'the-encryption-key-after-the-change-of-it';
const PASSWORD = 'Demo-Passw0rd!';

const database = await createTestDatabase();
const sql = async (text: string, ...values: unknown[]) => (await database.pool.query(text, values)).rows;
const [before, during, after] = [
  await startApi({ database }),
  await startApi({ database, secrets: { encryptionKey: [NEW, OLD] } }),
  await startApi({ database, secrets: { encryptionKey: NEW } }),
];

const begin = async (api: TestApi, email_address: string, user_type: string) => {
  const { body } = await api.anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash: PASSWORD });
  return body.tfa_token as string;
};
const signIn = async (api: TestApi, answer: object) => {
  await sql('update user_account set totp_last_step = null');
  const tfa_token = await begin(api, 'totp@demo.test', 'surrogate');
  return (await api.anonymous.post('/api/user/auth/verify-totp', { tfa_token, ...answer })).status;
};
const code = () => ({ code: new TOTP({ secret: SEED }).generate() });
const rotate = (settings: Record<string, string>) =>
  operate('scripts/operate.mjs', ['rotate-encryption'], { NODE_ENV: 'test', DATABASE_URL: database.url, ...settings });

describe('[OPERATE-3] a secret is changed without a stop', () => {
  test('[OPERATE-3] ENCRYPTION_KEY: people sign in before, during, and after, and everything is encrypted again', async () => {
    const [{ id: totpId }] = await sql(`select id::int from user_account where email_address = 'totp@demo.test'`);
    const [{ id: payee }] = await sql(`select id::int from user_account where email_address = 'surrogate@demo.test'`);
    const seal = createAccountSeal(OLD);
    await sql('delete from payee_bank_account where user_id = $1', payee);
    for (let count = 0; count < 250; count += 1)
      await sql(
        `insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four,
                                         account_kind, created_by, usable_from, replaced_at)
         values ($1, 'Name', 'person', '021000021', $2, '6789', 'checking', $1, now(), now())`,
        payee,
        seal.seal({ user_id: payee }, `12345${count}`),
      );
    const [{ id: batch }] = await sql(
      `insert into banking_batch (status, created_by, entry_count, total_cents, effective_date, file_day, file_id_modifier, file, file_sha256)
       values ('draft', $1, 0, 0, '2026-11-24', '2026-11-23', 'A', '', sha256('')) returning id::int`,
      payee,
    );
    await sql(
      'update banking_batch set file = $2, file_sha256 = sha256($3::bytea) where id = $1',
      batch,
      sealFile(OLD, batch, 'a file'),
      'a file',
    );
    const codes = await database.db.transaction((tx) => makeBackupCodes(tx, OLD, totpId));

    assert.equal(await signIn(before, code()), 200);
    assert.equal(await signIn(during, code()), 200, 'a seed that was encrypted with the previous key');
    assert.equal(await signIn(during, { backup_code: codes[0] }), 200);
    const mailed = await begin(before, 'mailotp@demo.test', 'intended_parent');
    const answer = { tfa_token: mailed, code: await lastCode(before, 'email') };
    assert.equal((await during.anonymous.post('/api/user/auth/verify-totp', answer)).status, 200, 'a code that is on its way');
    assert.notEqual(await signIn(after, code()), 200, 'nothing is encrypted again yet');

    const stranger = await rotate({ ENCRYPTION_KEY: NEW });
    assert.equal(stranger.code, 1);
    assert.match(
      stranger.errors,
      /^Neither ENCRYPTION_KEY nor ENCRYPTION_KEY_PREVIOUS opens user_account\.two_factor_secret of \d+\.\n$/,
    );
    const both = { ENCRYPTION_KEY: NEW, ENCRYPTION_KEY_PREVIOUS: OLD };
    const [first, second] = await Promise.all([rotate(both), rotate(both)]);
    const count = ({ output }: { output: string }) => Number(/^(\d+) values/.exec(output)?.[1]);
    assert.deepEqual([first.code, second.code, first.errors, second.errors], [0, 0, '', '']);
    assert.ok(count(first) + count(second) >= 252, 'each value is encrypted again once, by either run');
    assert.match(first.output, /\d+ people have backup codes/);
    assert.equal(count(await rotate(both)), 0, 'a second run has nothing left to do');

    assert.equal(await signIn(after, code()), 200, 'only the new key');
    assert.equal(await signIn(during, { backup_code: codes[1] }), 200, 'codes work while the previous key is configured');
    const renewed = createAccountSeal(NEW);
    const rows = await sql('select account_number from payee_bank_account where user_id = $1 order by id', payee);
    rows.forEach(({ account_number }, at) => {
      assert.equal(renewed.open({ user_id: payee }, account_number), `12345${at}`);
    });
    assert.equal(await readBatchFile(database.db, NEW, batch), 'a file');
    const [account] = await sql('select account_number, user_id::int from payee_bank_account order by id limit 1');
    assert.throws(() => seal.open({ user_id: account.user_id }, account.account_number), 'the old key decrypts nothing');
  });

  test('[OPERATE-3] MASTER_API_KEY: callers with either key are accepted, and afterwards only those with the new one', async () => {
    const masterApiKey = 'the-master-api-key-after-the-change-of-it';
    const changing = await startApi({
      database,
      secrets: { masterApiKey, masterApiKeyPrevious: TEST_SECRETS.masterApiKey },
    });
    const newApi = await startApi({ database, secrets: { masterApiKey } });
    const send = async (api: TestApi, key: string) => {
      const body = { user_type: 'surrogate', user_id: 1, title: 'a', body: 'b' };
      return (await api.anonymous.post('/internal/notification/send', body, { 'x-master-api-key': key })).status;
    };
    for (const key of [masterApiKey, TEST_SECRETS.masterApiKey]) assert.notEqual(await send(changing, key), 401, key);
    assert.equal(await send(changing, `${masterApiKey}x`), 401);
    assert.notEqual(await send(newApi, masterApiKey), 401);
    assert.equal(await send(newApi, TEST_SECRETS.masterApiKey), 401);
  });
});
