import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CAST, DEMO_PASSWORD, passwordOf } from '../../support/cast.ts';
import { GOOD, PeopleDesk } from '../people/people-desk.ts';

let clock = new Date();
const people = await PeopleDesk.start(() => clock);
const { api, admin, root, desk } = people;
const { pool } = api;
const DAY = 24 * 3_600_000;
const THEIRS = 'thief@elsewhere.test';

const confirm = (token: string) => api.anonymous.post('/api/user/auth/address/confirm', { token });
/** Requests a new address for someone. @returns the token that was mailed to it. */
const askFor = async (id: number, email_address: string, who = desk) => {
  const page = await people.edit(id, { email_address }, who);
  assert.equal(page.location, `/users/${id}?done=asked`, page.text);
  return people.lastToken(id, 'address_link');
};
const recipientsOf = async (id: number, event: string) => (await people.mailsTo(id, event)).map(({ recipient }) => recipient);
const resets = async (email_address: string, user_type: string) => {
  await pool.query('delete from throttle');
  await people.requestReset(email_address, user_type);
  await api.work();
  const { rows } = await pool.query(`select id from delivery where event = 'password_reset' and recipient = $1`, [email_address]);
  return rows.length;
};
const setAccount = async (who: 'surrogate' | 'parent', token: string, account_number: string) => {
  const answer = await api.anonymous.call('PUT', '/api/user/me/bank-account', {
    body: JSON.stringify({
      pass_hash: GOOD,
      holder_name: CAST[who].email_address.split('@')[0],
      routing_number: '021000021',
      account_number,
      account_kind: 'checking',
    }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return new Date(answer.body.usable_from);
};

describe('another address', () => {
  test('[ADDRESS-1] a new address counts once its link is followed; until then the old one signs in and resets', async () => {
    const id = await people.idOf('surrogate');
    const client = await api.as('surrogate');
    const token = await askFor(id, 'Moved@demo.test');
    assert.equal((await people.recordOf(id)).email_address, 'surrogate@demo.test');
    assert.deepEqual(await recipientsOf(id, 'address_link'), ['moved@demo.test']);
    assert.deepEqual(await recipientsOf(id, 'address_changed'), ['surrogate@demo.test'], 'the old address is notified');
    assert.match((await root.get(`/users/${id}`)).text, /New email address[\s\S]*moved@demo\.test/);
    assert.equal(await resets('moved@demo.test', 'surrogate'), 0);
    assert.equal((await people.login('moved@demo.test', 'surrogate', DEMO_PASSWORD)).status, 401);
    assert.equal((await client.get('/api/user/me')).status, 200);
    assert.equal(await resets('surrogate@demo.test', 'surrogate'), 1);
    const earlier = await people.lastToken(id, 'password_reset');

    assert.equal((await confirm(token)).status, 200);
    assert.equal((await client.get('/api/user/me')).status, 401, 'tokens name the address');
    assert.equal((await people.accept(earlier)).status, 422, 'what the old mailbox got opens nothing');
    assert.equal((await people.login('moved@demo.test', 'surrogate', DEMO_PASSWORD)).status, 200);
    assert.deepEqual((await recipientsOf(id, 'address_changed')).slice(1), ['moved@demo.test', 'surrogate@demo.test']);
    const entries = (await people.entriesOf(id)).slice(-1).map(({ action, before, after }) => [action, before, after]);
    assert.deepEqual(entries, [
      ['user.confirm_address', { email_address: 'surrogate@demo.test' }, { email_address: 'moved@demo.test' }],
    ]);
    assert.equal((await confirm(token)).status, 422, 'a link works once');
  });

  test('[ADDRESS-3] a link ends when it is old or replaced, a new password is set, or the account is closed', async () => {
    const id = await people.idOf('parent2');
    const overtaken = await askFor(id, 'first@demo.test');
    const late = await askFor(id, 'second@demo.test');
    assert.equal((await confirm(overtaken)).status, 422);
    const lives = await people.one<{ ms: number }>(
      `select extract(epoch from expires_at - requested_at) * 1000 as ms from address_change where user_id = $1 and ended_at is null`,
      [id],
    );
    assert.equal(Number(lives.ms), 3 * DAY);
    await pool.query('update address_change set expires_at = $2 where user_id = $1', [id, clock]);
    assert.equal((await confirm(late)).status, 422);
    const fresh = await admin.as('finance');
    const stolen = await askFor(id, 'third@demo.test', fresh);
    await resets('parent2@demo.test', 'intended_parent');
    assert.equal((await people.accept(await people.lastToken(id, 'password_reset'))).status, 200);
    assert.equal((await confirm(stolen)).status, 422);
    const closed = await askFor(id, 'fourth@demo.test', fresh);
    assert.equal((await fresh.post(`/users/${id}/deactivate`)).status, 303);
    assert.equal((await confirm(closed)).status, 422);
    assert.equal((await fresh.post(`/users/${id}/reactivate`)).status, 303);
    assert.equal((await confirm(closed)).status, 422, 'also when it is open again');
    for (const token of ['x', 'x'.repeat(43)]) assert.equal((await confirm(token)).status, 422);
    assert.equal((await people.recordOf(id)).email_address, 'parent2@demo.test');
  });

  test('[ADDRESS-7] a pair that is taken meanwhile stays with its owner, and of two people with links to one address one moves', async () => {
    const who = await admin.as('finance');
    const id = await people.idOf('bothSurrogate');
    const token = await askFor(id, 'wanted@demo.test', who);
    await people.invited({ email_address: 'wanted@demo.test', user_type: 'surrogate' }, who);
    assert.equal((await confirm(token)).status, 409);
    assert.equal((await people.recordOf(id)).email_address, 'both@demo.test');
    const again = await askFor(id, 'free@demo.test', who);
    const both = await Promise.all([confirm(again), confirm(again)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 422]);
    assert.equal((await people.login('both@demo.test', 'intended_parent', passwordOf('bothParent'))).status, 200);
  });
});

describe('an attacker who takes an account over by its address', () => {
  test('[ADDRESS-5, ADDRESS-2] a moved account is paid nothing for a week, and the owner reads of each step at the previous address', async (t) => {
    const began = clock;
    t.after(() => {
      clock = began;
    });
    const who = await admin.as('finance');
    const id = await people.idOf('parent');
    const token = await askFor(id, THEIRS, who);
    const reassignments = async () =>
      (await pool.query("select from graphile_worker.jobs where task_identifier = 'reassign_approvals'")).rows.length;
    await api.work();
    assert.equal(await reassignments(), 0);
    assert.equal((await confirm(token)).status, 200);
    assert.equal(await reassignments(), 1, 'what waits for them goes to somebody else');
    const movedAt = clock.getTime();
    assert.equal(await resets(THEIRS, 'intended_parent'), 1);
    assert.equal((await people.accept(await people.lastToken(id, 'password_reset'))).status, 200);
    const { body } = await people.login(THEIRS, 'intended_parent');
    const headers = { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json' };
    const phone = { body: JSON.stringify({ phone: '+12025550100', pass_hash: GOOD }), headers };
    assert.equal((await api.anonymous.call('PATCH', '/api/user/me', phone)).status, 200);
    assert.equal((await setAccount('parent', body.access_token, '123456789')).getTime(), movedAt + 7 * DAY);
    clock = new Date(movedAt + 6 * DAY);
    const later = await people.login(THEIRS, 'intended_parent');
    assert.equal((await setAccount('parent', later.body.access_token, '55555')).getTime(), movedAt + 8 * DAY);
    for (const event of ['address_changed', 'password_changed', 'phone_changed', 'bank_account_changed'])
      assert.ok((await recipientsOf(id, event)).includes('parent@demo.test'), event);

    const moveBack = (days: number) =>
      pool.query('update address_change set confirmed_at = $2 where user_id = $1', [id, new Date(clock.getTime() - days * DAY)]);
    const heard = async () =>
      (await recipientsOf(id, 'bank_account_changed')).filter((address) => address === 'parent@demo.test').length;
    const before = await heard();
    await pool.query(
      `insert into address_change (user_id, old_address, new_address, token_hash, requested_by, requested_at, expires_at, confirmed_at)
       select user_id, 'earlier@demo.test', old_address, sha256('earlier'), requested_by, requested_at, expires_at, confirmed_at
         from address_change where user_id = $1 and confirmed_at is not null limit 1`,
      [id],
    );
    await moveBack(29);
    await setAccount('parent', later.body.access_token, '66666');
    assert.equal(await heard(), before + 1, 'within 30 days it hears');
    assert.ok((await recipientsOf(id, 'bank_account_changed')).includes('earlier@demo.test'), 'and so does each other one');
    await moveBack(31);
    await setAccount('parent', later.body.access_token, '77777');
    assert.equal(await heard(), before + 1, 'after 30 days the address before hears no more');
  });

  test('[ADDRESS-2] changes of phone or two-factor, by staff or owner, are announced at the old number and address too', async () => {
    const who = await admin.as('finance');
    const id = await people.idOf('rep');
    await who.get('/account');
    assert.equal((await people.edit(id, { phone: '+12025550111' }, who)).status, 303);
    assert.deepEqual(await recipientsOf(id, 'phone_changed'), ['rep@demo.test'], 'there was no number before');
    assert.equal((await people.edit(id, { phone: '' }, who)).status, 303);
    assert.deepEqual((await recipientsOf(id, 'phone_changed')).slice(1), ['rep@demo.test', '+12025550111']);
    const totp = await people.idOf('totp');
    assert.equal((await confirm(await askFor(totp, 'totp-new@demo.test', who))).status, 200);
    assert.equal((await who.post(`/users/${totp}/reset-two-factor`)).status, 303);
    assert.deepEqual(await recipientsOf(totp, 'two_factor_changed'), ['totp-new@demo.test', 'totp@demo.test']);
  });
});

describe('a person who may do more', () => {
  test('[STAFF-3] an account is not changed, moved, reset, invited again, locked, or reactivated by someone who may do less', async () => {
    const who = await admin.as('finance');
    const stronger = await people.idOf('totpAdmin');
    const invited = await people.invited(
      {
        email_address: 'strong@demo.test',
        user_type: 'admin',
        admin_role_id: String(await people.roleId('Administrator')),
      },
      await admin.as('root'),
    );
    const before = await people.written();
    for (const fields of [{ first_name: 'Other' }, { email_address: THEIRS }, { phone: '+12025550122' }])
      assert.equal((await people.edit(stronger, fields, who)).status, 403, JSON.stringify(fields));
    for (const change of ['deactivate', 'reactivate', 'reset-two-factor'])
      assert.equal((await who.post(`/users/${stronger}/${change}`)).status, 403, change);
    assert.equal((await people.edit(invited, { email_address: THEIRS }, who)).status, 403);
    assert.equal((await who.post(`/users/${invited}/resend-invitation`)).status, 403);
    assert.deepEqual(await people.written(), before);
    const page = (await who.get(`/users/${stronger}`)).text;
    assert.doesNotMatch(page, new RegExp(`action="/users/${stronger}/|/users/${stronger}/edit`));
    assert.match(page, /Their role allows more than yours/);
    const manager = await people.idOf('manager');
    assert.equal((await people.edit(manager, { first_name: 'Casey' }, who)).status, 303, 'people without rights are');
    assert.equal((await people.edit(await people.idOf('finance'), { first_name: 'Fin' }, who)).status, 303, 'an equal is');
  });

  test('[STAFF-3] an admin cannot give a role that may do more than they do, nor take one from someone who may', async () => {
    await pool.query(
      `insert into admin_role_permission select r.id, 'manage_roles' from admin_role r where r.name = 'People desk'`,
    );
    const who = await admin.as('finance');
    const [viewer, totpAdmin] = [await people.idOf('viewer'), await people.idOf('totpAdmin')];
    const administrator = await people.roleId('Administrator');
    const own = await people.roleId('People desk');
    const before = await people.written();
    const input = { email_address: 'risen@demo.test', user_type: 'admin', admin_role_id: String(administrator) };
    assert.equal((await people.invite(input, who)).status, 403);
    assert.equal((await who.giveRole(totpAdmin, '')).status, 403);
    assert.equal((await who.giveRole(await people.idOf('finance'), administrator)).status, 403);
    assert.equal((await who.giveRole(viewer, own)).status, 403, 'viewer sees cases');
    assert.equal((await who.post(`/users/${totpAdmin}/reset-two-factor`)).status, 403, 'manages roles, and may do less');
    assert.deepEqual(await people.written(), before);
    await pool.query('update user_account set admin_role_id = null where id = $1', [viewer]);
    assert.equal((await who.giveRole(viewer, administrator)).status, 403);
    assert.equal((await who.giveRole(viewer, own)).status, 303);
  });
});
