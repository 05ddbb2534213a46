import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { makeBackupCodes } from '../../../modules/accounts/sign-in/backup-codes.ts';
import { DEMO_PASSWORD } from '../../support/cast.ts';
import { lastCode, totpAt } from '../../support/codes.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { startApi } from '../../support/platform.ts';
import { startAdmin, type Visitor } from '../start-admin.ts';

/** Each kind of code, in the API and in each form of the staff application that takes a code (TWO-FACTOR-9). */

const MINUTE = 60_000;
let clock = Date.now();
const now = () => new Date(clock);
const api = await startApi({ now });
const admin = await startAdmin({ now, database: api });

const PEOPLE = {
  app: { email: 'totp@demo.test', staffType: 'surrogate', apiType: 'surrogate' },
  email: { email: 'mailotp@demo.test', staffType: 'ip', apiType: 'intended_parent' },
  sms: { email: 'smsotp@demo.test', staffType: 'ip', apiType: 'intended_parent' },
} as const;
type Method = keyof typeof PEOPLE;

/** Each kind: the method that has to be on, the field of the API, and how to get a fresh code. */
const KINDS: Record<string, { method: Method; field: 'code' | 'backup_code'; read: () => Promise<string> }> = {
  'a code of the app': { method: 'app', field: 'code', read: async () => totpAt(clock) },
  'a backup code': { method: 'app', field: 'backup_code', read: newBackupCode },
  'a backup code in capitals, with a space': {
    method: 'app',
    field: 'backup_code',
    read: async () => (await newBackupCode()).toUpperCase().replace('-', ' '),
  },
  'a code sent by email': { method: 'email', field: 'code', read: () => lastCode(api, 'email') },
  'a code sent by text message': { method: 'sms', field: 'code', read: () => lastCode(api, 'sms') },
};

async function newBackupCode(): Promise<string> {
  const { rows } = await api.pool.query('select id from user_account where email_address = $1', [PEOPLE.app.email]);
  const [code = ''] = await api.db.transaction((tx) => makeBackupCodes(tx, TEST_SECRETS.encryptionKey, rows[0].id));
  return code;
}

beforeEach(async () => {
  // A TOTP step works once for each account, and codes are sent again only after a minute.
  clock += 5 * MINUTE;
  await api.pool.query('delete from throttle');
});

for (const [kind, { method, field, read }] of Object.entries(KINDS)) {
  const { email, staffType, apiType } = PEOPLE[method];

  async function signIn(): Promise<Visitor> {
    const visitor = admin.visitor();
    assert.equal((await visitor.signIn(email, DEMO_PASSWORD, staffType)).location, '/login/otp');
    const page = await visitor.enterCode(await read());
    assert.deepEqual([page.status, page.location], [303, '/']);
    return visitor;
  }

  async function apiToken(): Promise<string> {
    const begun = await call('POST', '/api/user/auth/login', {
      email_address: email,
      pass_hash: DEMO_PASSWORD,
      user_type: apiType,
    });
    const { tfa_token } = (await begun.json()) as { tfa_token: string };
    const verified = await call('POST', '/api/user/auth/verify-totp', { tfa_token, [field]: await read() });
    assert.equal(verified.status, 200);
    return ((await verified.json()) as { access_token: string }).access_token;
  }

  describe(`[TWO-FACTOR-9] ${kind}`, () => {
    test('[TWO-FACTOR-8, TWO-FACTOR-9] signs in at the API and in the staff application', async () => {
      await apiToken();
      clock += 5 * MINUTE;
      await signIn();
    });

    test('[IDENTITY-1, IDENTITY-5] proves identity at the API and in the staff application', async () => {
      const token = await apiToken();
      clock += 15 * MINUTE;
      if (method !== 'app') await call('POST', '/api/user/me/two-factor', { method }, token);
      const changed = { new_pass_hash: DEMO_PASSWORD, [field]: await read() };
      assert.equal((await call('POST', '/api/user/me/password', changed, token)).status, 200);

      const visitor = await at(5, signIn);
      clock += 15 * MINUTE;
      if (method !== 'app') assert.equal((await visitor.post('/account/two-factor', { method })).status, 303);
      const page = await visitor.post('/account/confirm', { code: await read(), next: '/account' });
      assert.deepEqual([page.status, page.location], [303, '/account']);
    });

    test('[TWO-FACTOR-10] turns two-factor off at the API and in the staff application', async () => {
      const token = await apiToken();
      const visitor = await at(5, signIn);
      const { rows } = await api.pool.query(`select two_factor_secret as secret from user_account where email_address = $1`, [
        email,
      ]);
      clock += 5 * MINUTE;
      if (method !== 'app') await call('POST', '/api/user/me/two-factor', { method }, token);
      assert.equal((await call('DELETE', '/api/user/me/two-factor', { [field]: await read() }, token)).status, 200);

      const turnOn = 'update user_account set two_factor_method = $2, two_factor_secret = $3 where email_address = $1';
      await api.pool.query(turnOn, [email, method, rows[0].secret]);
      clock += 5 * MINUTE;
      const settings = await visitor.get('/account/two-factor');
      if (method !== 'app') assert.equal((await visitor.fill(settings, '/account/two-factor')).status, 303);
      const form = await visitor.get('/account/two-factor');
      const page = await visitor.fill(form, '/account/two-factor/off', { code: await read() });
      assert.deepEqual([page.status, page.location], [303, '/account?done=two-factor-off']);
      await api.pool.query(turnOn, [email, method, rows[0].secret]);
    });
  });
}

/** Does the work some minutes later, when another code can be used or sent. */
function at<Result>(minutesLater: number, work: () => Promise<Result>): Promise<Result> {
  clock += minutesLater * MINUTE;
  return work();
}

function call(method: string, path: string, body: object, token = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };
  return fetch(new URL(path, api.baseUrl), { method, headers, body: JSON.stringify(body) });
}
