import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { inviteUser, issueAgencyKey, openSession } from '@case-platform/modules/accounts';
import { PermanentFailure } from '@case-platform/modules/notifications';
import { CASE_1, DEMO_PASSWORD } from '../../support/cast.ts';
import { TEST_URLS, totpAt } from '../../support/codes.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { findStoredSecrets } from '../../support/stored-secrets.ts';

/** Runs every flow that creates a secret, and checks that the database stores each one hashed or encrypted (PASSWORD-9). */

const api = await startApi();
const { surrogate, parent, parent2 } = await api.everyone();
const { rows: staff } = await api.pool.query(`select * from user_account where email_address = 'root@demo.test'`);
const root = staff[0];

/** The texts of all mails and text messages, which the providers accept or, with `refusing`, reject for good. */
const sent: string[] = [];
async function deliver({ refusing = false } = {}): Promise<string> {
  const from = sent.length;
  const take = async (text: string) => {
    sent.push(text);
    if (refusing) throw new PermanentFailure('Refused');
    return 'taken';
  };
  const work = () =>
    api.work({
      email: { name: 'mailpit', send: ({ text }) => take(text) },
      sms: { name: 'twilio', send: (_phone, text) => take(text) },
      keepsContent: false,
    });
  await work();
  // A mail that is sent at once also has a job, which waits a minute in case the process ends.
  await api.pool.query('update graphile_worker._private_jobs set run_at = now()');
  await work();
  return sent.slice(from).join('\n');
}
const tokenIn = (text: string) => /token=([\w-]{20,})/.exec(text)?.[1] ?? '';
const codeIn = (text: string) => /\b\d{6}\b/.exec(text)?.[0] ?? '';
const put = (who: Client, path: string, body: object) =>
  who.call('PUT', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const login = (email_address: string, user_type: string, pass_hash = DEMO_PASSWORD) =>
  api.anonymous.post('/api/user/auth/login', { email_address, user_type, pass_hash });

/** Creates every kind of secret that the platform generates or takes from people, once. */
async function makeSecrets(mail: { refusing: boolean }): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  await api.anonymous.post('/api/user/auth/password-reset/request', {
    email_address: 'parent@demo.test',
    user_type: 'intended_parent',
  });
  secrets['reset token'] = tokenIn(await deliver(mail));
  for (const [name, email_address] of [
    ['mailed code', 'mailotp@demo.test'] as const,
    ['texted code', 'smsotp@demo.test'] as const,
  ]) {
    const { tfa_token } = (await login(email_address, 'intended_parent')).body;
    secrets[name] = codeIn(await deliver(mail));
    secrets[`token of the ${name}`] = tfa_token;
  }
  const address = `moved-${mail.refusing}@demo.test`;
  assert.equal((await parent2.post('/api/user/me/email', { email_address: address })).status, 202);
  secrets['address token'] = tokenIn(await deliver(mail));
  const invited = {
    email_address: `invited-${mail.refusing}@demo.test`,
    user_type: 'ip',
    first_name: 'Ina',
    last_name: 'Vited',
  };
  await inviteUser(
    api.db,
    { ...invited, user_type: 'ip', phone: '', agency_id: null, admin_role_id: null },
    { actor: root, origin: SYSTEM, manages_roles: true, now: new Date(), urls: TEST_URLS },
  );
  secrets['invitation token'] = tokenIn(await deliver(mail));
  return secrets;
}

async function makeLastingSecrets(): Promise<Record<string, string>> {
  const { secret } = (await surrogate.post('/api/user/me/two-factor', { method: 'app' })).body;
  const code = totpAt(Date.now(), secret);
  const { backup_codes } = (await surrogate.post('/api/user/me/two-factor/confirm', { code })).body;
  const begun = (await parent.post('/api/user/me/two-factor', { method: 'app' })).body;
  const account_number = '4417129803562';
  const account = { holder_name: 'Sarah Lindgren', routing_number: '021000021', account_kind: 'checking' };
  const set = await put(parent, '/api/user/me/bank-account', { ...account, account_number, pass_hash: DEMO_PASSWORD });
  assert.equal(set.status, 200);
  const web = 'web-session-3f1c9a77e2b84d0a';
  const ended = await parent.call('DELETE', '/api/user/me/web-session', { headers: { 'x-web-session': web } });
  assert.equal(ended.status, 204);
  const { access_token, refresh_token } = (await login('parent@demo.test', 'intended_parent')).body;
  const pass_hash = 'typed by someone who is not known';
  assert.equal((await login('unknown-someone@nowhere.test', 'surrogate', pass_hash)).status, 401);
  return {
    'TOTP seed': secret,
    'TOTP seed that waits for its code': begun.secret,
    ...Object.fromEntries((backup_codes as string[]).map((one, at) => [`backup code ${at + 1}`, one])),
    'agency key': (await issueAgencyKey(api.db, 1, { actor: null, origin: SYSTEM })).key,
    'session of staff': await openSession(api.db, root, new Date()),
    'account number': account_number,
    'web session': web,
    'access token': access_token,
    'refresh token': refresh_token,
    password: DEMO_PASSWORD,
    'wrong password': pass_hash,
    'unknown address that was tried': 'unknown-someone@nowhere.test',
  };
}

test('[PASSWORD-9] no secret of an account, agency, or session is in the database in plain text, in any form', async () => {
  const secrets = await makeLastingSecrets();
  for (const refusing of [false, true])
    for (const [name, secret] of Object.entries(await makeSecrets({ refusing }))) secrets[`${name} (${refusing})`] = secret;
  for (const [name, secret] of Object.entries(secrets)) assert.ok(secret?.length >= 6, `there is no ${name}`);
  assert.deepEqual(await findStoredSecrets(api.pool, secrets), []);
});

test('[IDEMPOTENCY-2] an idempotency key is stored with a hash of the request', async () => {
  const message = 'The nursery is painted yellow and grey';
  const fields = { message, case_id: String(CASE_1) };
  const answer = await parent.form('/api/messages', fields, [], { 'idempotency-key': 'painted' });
  assert.equal(answer.status, 201);
  const places = await findStoredSecrets(api.pool, { message });
  assert.deepEqual(places, ['message.message: message']);
});

test('[PASSWORD-9] the search for secrets sees them as text, bytes, hex, base64, and in JSON, whole or in part', async () => {
  const token = 'q8Rk2vTfW0zXn5LhJ3mYb7CdPs9AeGu1iKoVxQ4B6Zw';
  const bytes = Buffer.from(token, 'base64url');
  const rows: [string, unknown][] = [
    [`insert into call_count (subject, minute, calls) values ($1, 1, 1)`, token],
    [`insert into ended_web_session (id_hash, user_id) values ($1, ${root.id})`, bytes],
    [`insert into backup_code (user_id, code_hash) values (${root.id}, $1)`, Buffer.from(token).subarray(0, 32)],
    [`insert into audit_entry (layer, action, after) values ('system', 'test.row', $1)`, JSON.stringify({ a: [token] })],
    [
      `insert into audit_entry (layer, action, visit_id) values ('system', 'test.visit', $1)`,
      bytes.subarray(0, 16).toString('hex'),
    ],
    [`insert into suppression_lift (channel, address) values ('email', $1)`, Buffer.from(token).toString('hex')],
    [`insert into worker_heartbeat (worker_id) values ($1)`, Buffer.from(token).toString('base64')],
    [`select graphile_worker.add_job('email_gathered', payload := $1)`, JSON.stringify({ token })],
  ];
  for (const [statement, value] of rows) await api.pool.query(statement, [value]);
  const places = await findStoredSecrets(api.pool, { token });
  assert.deepEqual(
    places,
    [
      'graphile_worker._private_jobs.payload',
      'audit_entry.after',
      'audit_entry.visit_id',
      'backup_code.code_hash',
      'call_count.subject',
      'ended_web_session.id_hash',
      'suppression_lift.address',
      'worker_heartbeat.worker_id',
    ].map((place) => `${place}: token`),
  );
});
