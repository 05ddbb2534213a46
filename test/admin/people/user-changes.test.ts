import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CASE_1, CAST, DEMO_PASSWORD } from '../../support/cast.ts';
import { PeopleDesk } from './people-desk.ts';

const people = await PeopleDesk.start(() => new Date());
const { api, admin, root, desk } = people;
const { pool } = api;
const viewer = await admin.as('viewer');
const viewerRole = await people.roleId('Viewer');

describe('changing a record', () => {
  test('[STAFF-2, AUDIT-1] a change is recorded with the values before and after; a form without a change writes nothing', async () => {
    const id = await people.idOf('parent2');
    assert.equal((await people.edit(id, {})).status, 303);
    assert.deepEqual(await people.entriesOf(id), []);
    const page = await people.edit(id, { last_name: 'Whitlock  Changed', phone: '+49 30 901820' }, desk);
    assert.deepEqual([page.status, page.location], [303, `/users/${id}?done=saved`]);
    const [entry] = await people.entriesOf(id);
    assert.deepEqual(
      [entry?.action, entry?.before, entry?.after],
      ['user.update', { last_name: 'Whitlock', phone: null }, { last_name: 'Whitlock Changed', phone: '+4930901820' }],
    );
    assert.equal(entry?.actor_id, await people.idOf('finance'));
  });

  test('[ACCOUNT-5, AUDIT-1] another name is shown on the person’s cases and mailed to the specialist', async () => {
    const id = await people.idOf('surrogate');
    const { first_name, last_name } = await people.recordOf(id);
    const renames = async () => {
      const of = `action = 'case.rename_person' and (after->>'user_id')::int = $1`;
      return (await pool.query(`select actor_id::int as by, case_id::int, before, after from audit_entry where ${of}`, [id]))
        .rows;
    };
    const { rows: staff } = await pool.query(
      `select first_name, last_name from user_account where email_address = 'escrow@demo.test'`,
    );
    const refused = await people.edit(id, staff[0], desk);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /is also the name of someone on the escrow team of this case/);
    assert.deepEqual([(await people.recordOf(id)).last_name, await renames()], [last_name, []]);

    assert.equal((await people.edit(id, { last_name: 'Whitlock' }, desk)).status, 303);
    const [before, after] = [`${first_name} ${last_name}`, `${first_name} Whitlock`];
    const change = { before: { name: before }, after: { user_id: id, name: after } };
    assert.deepEqual(await renames(), [{ by: await people.idOf('finance'), case_id: CASE_1, ...change }]);
    await api.work();
    const subject = `${before} is now called ${after}`;
    const { rows: mails } = await pool.query(`select recipient from delivery where subject = $1`, [subject]);
    assert.deepEqual(mails, [{ recipient: 'escrow@demo.test' }]);
    assert.equal((await people.edit(id, { last_name })).status, 303);
  });

  test('[LAYER-2] a pair that is taken is a conflict, and nothing is written', async () => {
    const before = await people.written();
    const page = await people.edit(await people.idOf('parent2'), { email_address: 'parent@demo.test' });
    assert.equal(page.status, 409);
    assert.match(page.text, /already a record/);
    assert.deepEqual(await people.written(), before);
  });

  test('[TWO-FACTOR-11] a phone that codes are sent to is not changed', async () => {
    assert.equal((await people.edit(await people.idOf('smsotp'), { phone: '+12025550100' })).status, 409);
    assert.equal((await people.edit(await people.idOf('smsotp'), { first_name: 'Still' })).status, 303);
  });

  test('[INVITE-4] an invited person with another address is invited again', async () => {
    const id = await people.invited({ email_address: 'tpyo@demo.test' });
    const old = await people.lastToken(id);
    assert.equal((await people.edit(id, { email_address: 'typo@demo.test' })).status, 303);
    const mails = await people.mailsTo(id, 'invitation');
    assert.deepEqual(
      mails.map(({ recipient }) => recipient),
      ['tpyo@demo.test', 'typo@demo.test'],
    );
    assert.equal((await people.accept(old)).status, 422);
    assert.equal((await people.accept(await people.lastToken(id))).status, 200);
  });
});

describe('shutting out', () => {
  test('[STAFF-5, SIGN-IN-8] a deactivated person is rejected everywhere at once, and is back after reactivation', async () => {
    const id = await people.idOf('manager');
    const client = await api.as('manager');
    const visitor = admin.visitor();
    await visitor.signIn(CAST.manager.email_address, DEMO_PASSWORD, 'cm');
    assert.equal((await visitor.get('/account')).status, 200);
    const account = { email_address: CAST.manager.email_address, user_type: 'case_manager' };
    await people.requestReset(account.email_address, account.user_type);
    const [reset] = await people.mailsTo(id, 'password_reset');
    await people.requestReset(account.email_address, account.user_type);
    await pool.query(
      `insert into push_subscription (user_type, user_id, endpoint, p256dh, auth, vapid_key_id)
       values ('cm', $1, 'https://push.example/1', 'x', 'x', 'x')`,
      [id],
    );

    assert.equal((await desk.post(`/users/${id}/deactivate`)).status, 303);
    assert.equal((await client.get('/api/user/me')).status, 401);
    assert.equal((await visitor.get('/account')).status, 302);
    assert.equal((await people.login(CAST.manager.email_address, 'case_manager', DEMO_PASSWORD)).status, 401);
    const token = /token=([\w-]+)/.exec(reset?.text ?? '')?.[1] ?? '';
    assert.equal((await people.accept(token)).status, 422, 'a link does not reactivate');
    assert.equal((await people.mailsTo(id, 'password_reset')).length, 1, 'no new link for a deactivated account');
    assert.match((await root.get('/users?status=deactivated')).text, />Megan Alvarado</);
    assert.equal((await desk.post(`/users/${id}/deactivate`)).status, 409);

    assert.equal((await root.post(`/users/${id}/reactivate`)).status, 303);
    assert.equal((await root.post(`/users/${id}/reactivate`)).status, 409);
    assert.equal((await people.accept(token)).status, 422, 'links from before stay dead');
    assert.equal((await people.login(CAST.manager.email_address, 'case_manager', DEMO_PASSWORD)).status, 200);
    assert.equal((await visitor.get('/account')).status, 302, 'sessions from before stay closed');
    assert.match((await root.get(`/users/${id}`)).text, /1 device gets notifications/);
    assert.deepEqual(
      (await people.entriesOf(id)).map(({ action, before, after }) => [action, before.status, after.status]),
      [
        ['user.deactivate', 'active', 'deactivated'],
        ['user.reactivate', 'deactivated', 'active'],
      ],
    );
  });

  test('[NOTIFY-9, STAFF-5] what is still queued for a deactivated person is not sent', async () => {
    const id = await people.invited({ email_address: 'queued@demo.test' });
    assert.equal((await root.post(`/users/${id}/deactivate`)).status, 303);
    const [mail] = await people.mailsTo(id, 'invitation');
    assert.deepEqual([mail?.state, mail?.text], ['suppressed', null]);
  });

  test('[INVITE-3] deactivating an invited person ends the invitation, and after reactivation they are invited again', async () => {
    const id = await people.invited({ email_address: 'never@demo.test' });
    const token = await people.lastToken(id);
    await root.post(`/users/${id}/deactivate`);
    assert.equal((await people.accept(token)).status, 422);
    assert.equal((await people.recordOf(id)).status, 'deactivated');
    await root.post(`/users/${id}/reactivate`);
    assert.equal((await people.recordOf(id)).status, 'invited');
    assert.equal((await people.accept(token)).status, 422);
  });

  test('[INVITE-3] accepting and deactivating at once: the account ends deactivated or was active before', async () => {
    for (let at = 0; at < 5; at += 1) {
      const id = await people.invited({ email_address: `race-${at}@demo.test` });
      const token = await people.lastToken(id);
      const [accepted, out] = await Promise.all([people.accept(token), root.post(`/users/${id}/deactivate`)]);
      assert.equal(out.status, 303);
      assert.ok([200, 422].includes(accepted.status), String(accepted.status));
      assert.equal((await people.recordOf(id)).status, 'deactivated');
    }
  });

  test('[STAFF-5] an admin cannot deactivate themselves', async () => {
    const before = await people.written();
    assert.equal((await root.post(`/users/${await people.idOf('root')}/deactivate`)).status, 409);
    assert.equal((await desk.post(`/users/${await people.idOf('finance')}/deactivate`)).status, 409);
    assert.deepEqual(await people.written(), before);
  });
});

describe('two-factor', () => {
  test('[STAFF-6] after a two-factor reset the password is enough to sign in, and the owner is notified', async () => {
    const id = await people.idOf('totp');
    const before = await people.login(CAST.totp.email_address, 'surrogate', DEMO_PASSWORD);
    assert.equal(before.body.tfa_required, true);
    assert.equal((await desk.post(`/users/${id}/reset-two-factor`)).status, 303);
    const after = await people.login(CAST.totp.email_address, 'surrogate', DEMO_PASSWORD);
    assert.ok(after.body.access_token);
    assert.match((await people.mailsTo(id, 'two_factor_changed'))[0]?.text ?? '', /two-factor sign-in off/);
    assert.equal((await desk.post(`/users/${id}/reset-two-factor`)).status, 409, 'it is already off');
    const [entry] = await people.entriesOf(id);
    assert.deepEqual(
      [entry?.action, entry?.before, entry?.after],
      ['user.reset_two_factor', { two_factor_method: 'app' }, { two_factor_method: null }],
    );
  });
});

describe('roles of people', () => {
  test('[ROLE-3] another role counts from that admin’s next request', async () => {
    const id = await people.idOf('viewer');
    const desk = await people.roleId('People desk');
    assert.equal((await viewer.post('/users', {})).status, 403);
    assert.equal((await root.giveRole(id, desk)).status, 303);
    assert.match((await viewer.get('/users')).text, /Invite a person/);
    assert.equal((await root.giveRole(id, 999999)).status, 422);
    assert.equal((await root.giveRole(id, '')).status, 303);
    assert.deepEqual(
      (await people.entriesOf(id)).map(({ before, after }) => [before.role, after.role]),
      [
        ['Viewer', 'People desk'],
        ['People desk', null],
      ],
    );
    const parent = await root.giveRole(await people.idOf('parent'), viewerRole);
    assert.equal(parent.status, 422, 'only staff have a role');
  });

  test('[ROLE-6] the last admin who manages roles keeps the account and the role, also with two at once', async () => {
    // The test deactivates an administrator, so it needs a platform of its own.
    const people = await PeopleDesk.start(() => new Date());
    const { admin, root } = people;
    const viewerRole = await people.roleId('Viewer');
    const rootId = await people.idOf('root');
    const other = await people.idOf('totpAdmin');
    await root.post(`/users/${other}/reset-two-factor`);
    const second = admin.visitor();
    await second.signIn('totp-admin@demo.test', DEMO_PASSWORD);
    const answers = await Promise.all([root.post(`/users/${other}/deactivate`), second.post(`/users/${rootId}/deactivate`)]);
    const statuses = answers.map(({ status }) => status);
    // One request succeeds. The other is rejected because its target is the last admin, or its sender is already deactivated.
    assert.equal(statuses.filter((status) => status === 303).length, 1, String(statuses));
    assert.ok(
      statuses.every((status) => [303, 401, 403, 409].includes(status)),
      String(statuses),
    );
    const [left, survivor, gone] =
      (await people.recordOf(rootId)).status === 'active' ? [root, rootId, other] : [second, other, rootId];
    assert.equal((await left.giveRole(survivor, '')).status, 409);
    assert.match((await left.giveRole(survivor, '')).text, /Someone has to be able to manage roles/);
    assert.ok((await people.recordOf(survivor)).admin_role_id);
    assert.equal((await left.post(`/users/${gone}/reactivate`)).status, 303);
    assert.equal((await left.giveRole(survivor, viewerRole)).status, 303);
    assert.equal((await left.giveRole(gone, '')).status, 403, 'no longer a manager');
  });
});
