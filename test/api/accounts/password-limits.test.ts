import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import pg from 'pg';
import { makeBackupCodes } from '../../../modules/accounts/sign-in/backup-codes.ts';
import { clearTwoFactor } from '../../../modules/accounts/sign-in/two-factor.ts';
import { CAST, type CastName, DEMO_PASSWORD, passwordOf } from '../../support/cast.ts';
import { lastCode } from '../../support/codes.ts';
import { serverUrl } from '../../support/database.ts';
import { startApi } from '../../support/platform.ts';

/** The limits of signing in, checked at the limit and one step beyond, and what else a reset or a change of password ends. */

let clock = Date.now();
const api = await startApi({ now: () => new Date(clock) });
const MINUTE = 60_000;
const GOOD = 'Harbour-Lantern-42';
const sql = async (text: string, ...values: unknown[]) => (await api.pool.query(text, values)).rows;

beforeEach(async () => {
  clock = Date.now();
  await api.pool.query('delete from throttle');
});

const confirm = (token: string, pass_hash = GOOD) =>
  api.anonymous.post('/api/user/auth/password-reset/confirm', { token, pass_hash });

/** Requests this many links. @returns their tokens, oldest first. */
async function links(name: CastName, count: number): Promise<string[]> {
  const { email_address, user_type } = CAST[name];
  await sql(`delete from delivery where event = 'password_reset'`);
  for (let at = 0; at < count; at += 1)
    await api.anonymous.post('/api/user/auth/password-reset/request', { email_address, user_type });
  await api.work();
  const rows = await sql(`select content->>'text' as text from delivery where event = 'password_reset' order by id`);
  return rows.map(({ text }) => /token=([\w-]+)/.exec(text)?.[1] ?? '');
}

test('[PASSWORD-5] a reset ends every other link that was mailed before it', async () => {
  const [first = '', second = '', third = ''] = await links('manager', 3);
  assert.equal((await confirm(second)).status, 200);
  for (const token of [first, third, second]) assert.equal((await confirm(token)).status, 422);
});

test('[PASSWORD-5] a link works for 30 minutes, to the second', async () => {
  const [early = ''] = await links('manager', 1);
  // The worker creates the link a moment after the request, so its times are set here.
  await sql(
    'update password_reset set created_at = $1, expires_at = $2 where used_at is null',
    new Date(clock),
    new Date(clock + 30 * MINUTE),
  );
  clock += 30 * MINUTE - 1000;
  assert.equal((await confirm(early, 'short')).status, 422);
  assert.equal((await confirm(early)).status, 200);
  clock = Date.now();
  const [late = ''] = await links('manager', 1);
  const [{ minutes }] = await sql(
    `select extract(epoch from expires_at - created_at) / 60 as minutes from password_reset where used_at is null`,
  );
  assert.equal(Number(minutes), 30);
  clock += 31 * MINUTE;
  assert.equal((await confirm(late)).status, 422);
});

test('[SIGN-IN-8] a link no longer works once its account is deactivated', async () => {
  const [token = ''] = await links('rep', 1);
  await sql(`update user_account set status = 'deactivated' where email_address = 'rep@demo.test'`);
  assert.equal((await confirm(token)).status, 422);
  await sql(`update user_account set status = 'active' where email_address = 'rep@demo.test'`);
  assert.equal((await confirm(token)).status, 200, 'open again, it is the same link');
});

test('[PASSWORD-1] a new password has 12 to 256 characters, 8 with two-factor, counted as people count', async () => {
  const passwordWith = (length: number) => Array.from({ length }, (_, at) => String.fromCodePoint(0x20000 + at)).join('');
  const set = async (length: number) => {
    const [token = ''] = await links('owner', 1);
    // Every character is different, because a repeated short text is rejected at any length.
    const password = passwordWith(length);
    assert.deepEqual([[...password].length, password.length], [length, 2 * length]);
    await sql(`delete from throttle`);
    return (await confirm(token, password)).status;
  };
  assert.deepEqual([await set(11), await set(12), await set(256), await set(257)], [422, 200, 200, 422]);
  const pair = { email_address: 'owner@demo.test', user_type: 'agency_owner' };
  const signIn = (length: number) => api.anonymous.post('/api/user/auth/login', { ...pair, pass_hash: passwordWith(length) });
  assert.equal((await signIn(256)).status, 200, 'the longest one signs in, too');
  assert.equal((await signIn(255)).status, 401);
  await sql(`update user_account set two_factor_method = 'email' where email_address = 'owner@demo.test'`);
  assert.deepEqual([await set(7), await set(8)], [422, 200]);
});

test('[ERROR-4] a reset that cannot be counted is a 503, and never a mail that was promised and not sent', async () => {
  const owner = new pg.Client({ connectionString: serverUrl(new URL(api.url).pathname.slice(1)) });
  await owner.connect();
  await owner.query(`create function lose_count() returns trigger language plpgsql as $$ begin
    if new.key like 'reset:%' then raise exception 'shutting down' using errcode = '57P01'; end if; return new; end $$`);
  await owner.query('create trigger lose_count before insert on throttle for each row execute function lose_count()');
  const ask = () =>
    api.anonymous.post('/api/user/auth/password-reset/request', {
      email_address: 'rep@demo.test',
      user_type: 'ip_company',
    });
  assert.equal((await ask()).status, 503);
  await owner.query('drop trigger lose_count on throttle');
  await owner.end();
  assert.equal((await ask()).status, 202);
});

test('[PASSWORD-8] ten wrong current passwords of someone who is signed in are counted, then 429', async () => {
  const surrogate = await api.as('surrogate');
  const change = (pass_hash: string) => surrogate.post('/api/user/me/password', { pass_hash, new_pass_hash: GOOD });
  for (let at = 0; at < 10; at += 1) assert.equal((await change('wrong')).status, 422);
  assert.equal((await change('wrong')).status, 429);
  assert.equal((await change(passwordOf('surrogate'))).status, 429, 'also with the right one');
});

test('[TWO-FACTOR-3] right codes are not counted: eleven sign-ins in 15 minutes', async () => {
  const { email_address, user_type } = CAST.mailotp;
  for (let at = 0; at < 11; at += 1) {
    await sql(`delete from throttle where key not like 'code%'`);
    const login = { email_address, user_type, pass_hash: DEMO_PASSWORD };
    const { tfa_token } = (await api.anonymous.post('/api/user/auth/login', login)).body;
    const code = await lastCode(api, 'email');
    const { status } = await api.anonymous.post('/api/user/auth/verify-totp', { tfa_token, code });
    assert.equal(status, 200, `sign-in ${at + 1}`);
  }
});

test('[TWO-FACTOR-8] new backup codes end the previous ones, and turning two-factor off ends them all', async () => {
  const [{ id }] = await sql(`select id::int from user_account where email_address = 'totp@demo.test'`);
  const make = () => api.db.transaction((tx) => makeBackupCodes(tx, 'a key of this test', id));
  const countCodes = async () => (await sql('select from backup_code where user_id = $1', id)).length;
  await make();
  await make();
  assert.equal(await countCodes(), 10);
  await api.db.transaction((tx) => clearTwoFactor(tx, id, new Date()));
  assert.equal(await countCodes(), 0);
});
