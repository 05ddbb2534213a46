import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CAST, DEMO_PASSWORD, passwordOf } from '../../support/cast.ts';
import { GOOD, PeopleDesk } from './people-desk.ts';

let clock = Date.now();
const people = await PeopleDesk.start(() => new Date(clock));
const { api, admin, root, desk } = people;
const { pool } = api;
const DAY = 24 * 3_600_000;

describe('inviting', () => {
  test('[INVITE-1] an invited person gets a mail, cannot sign in before choosing a password, and can after', async () => {
    const id = await people.invited({ email_address: ' New.Parent@Demo.test ', phone: '+1 (202) 555-0199' });
    const record = await people.recordOf(id);
    assert.deepEqual(
      [record.email_address, record.user_type, record.status, record.password_hash, record.phone],
      ['new.parent@demo.test', 'ip', 'invited', null, '+12025550199'],
    );
    const [entry] = await people.entriesOf(id);
    assert.deepEqual([entry?.action, entry?.layer, entry?.subject_label], ['user.invite', 'admin', 'New Person']);
    assert.equal(entry?.after.email_address, 'new.parent@demo.test');

    const [mail] = await people.mailsTo(id, 'invitation');
    assert.equal(mail?.recipient, 'new.parent@demo.test');
    assert.match(mail?.text ?? '', /Ruth Adeyemi invited you .* “Intended parent”/);
    assert.match(
      mail?.text ?? '',
      /http:\/\/localhost:3000\/password-reset\/confirm\?invitation=1&role=intended_parent#token=[\w-]{43}\b/,
    );
    for (const guess of ['', 'null', DEMO_PASSWORD, GOOD]) {
      const tried = await people.login('new.parent@demo.test', 'intended_parent', guess || 'x');
      assert.equal(tried.status, 401);
    }
    const account = { email_address: 'new.parent@demo.test', user_type: 'intended_parent' };
    await people.requestReset(account.email_address, account.user_type);
    assert.deepEqual(await people.mailsTo(id, 'password_reset'), [], 'no reset for someone who never had a password');

    const token = await people.lastToken(id);
    assert.equal((await people.accept(token, 'short')).status, 422);
    const tries = await Promise.all(Array.from({ length: 5 }, () => people.accept(token)));
    assert.deepEqual(tries.map(({ status }) => status).sort(), [200, 422, 422, 422, 422]);
    assert.equal((await people.login('new.parent@demo.test', 'intended_parent')).status, 200);
    assert.equal((await people.recordOf(id)).status, 'active');
    assert.deepEqual(
      (await people.entriesOf(id)).map(({ action }) => action),
      ['user.invite', 'user.accept_invitation'],
    );
    assert.deepEqual(await people.mailsTo(id, 'password_changed'), []);
    const { rows } = await pool.query('select before, after from audit_entry where subject_id = $1', [id]);
    assert.doesNotMatch(JSON.stringify(rows), /argon2|token|password/);
  });

  test('[INVITE-1] a member of staff is invited with a role, an agency’s person with the agency', async () => {
    const role = await people.roleId('Viewer');
    const staff = await people.invited({
      user_type: 'admin',
      email_address: 'staff@demo.test',
      admin_role_id: String(role),
      agency_id: '1',
    });
    const record = await people.recordOf(staff);
    assert.deepEqual([record.admin_role_id, record.agency_id], [role, null]);
    const mail = (await people.mailsTo(staff, 'invitation'))[0]?.text ?? '';
    assert.match(mail, /invitation=staff[\s\S]*sign in at http:\/\/localhost:4001\/login/);
    assert.equal((await people.accept(await people.lastToken(staff))).status, 200);
    const visitor = admin.visitor();
    assert.equal((await visitor.signIn('staff@demo.test', GOOD)).status, 303);

    const manager = await people.invited({ user_type: 'cm', email_address: 'cm@demo.test', agency_id: '1' }, desk);
    assert.equal((await people.recordOf(manager)).agency_id, 1);
  });

  test('[PAGE-2] every invalid field gets its own error, and nothing is written', async () => {
    const before = await people.written();
    const wrong: Record<string, string>[] = [
      { email_address: 'no address' },
      { email_address: 'näme@demo.test' },
      { email_address: `${'x'.repeat(250)}@demo.test` },
      { email_address: 'a@b', first_name: ' ' },
      { email_address: 'a@b', last_name: 'x'.repeat(101) },
      { email_address: 'a@b', phone: '12' },
      { email_address: 'a@b', user_type: 'cm' },
      { email_address: 'a@b', user_type: 'owner', agency_id: '999999' },
      { email_address: 'a@b', user_type: 'admin', admin_role_id: '999999' },
      { email_address: 'a@b', user_type: 'intended_parent' },
      { email_address: 'a@b', agency_id: 'x' },
    ];
    for (const fields of wrong) assert.equal((await people.invite(fields)).status, 422, JSON.stringify(fields));
    const page = await people.invite({ email_address: 'no address', first_name: '', last_name: 'Kept <b>' });
    assert.match(page.text, /Enter a full email address[^<]*<\/span>/);
    assert.match(page.text, /The first name is missing\./);
    assert.match(page.text, /value="Kept &#60;b&#62;"|value="Kept &lt;b&gt;"/);
    assert.deepEqual(await people.written(), before);
  });

  test('[LAYER-2] two invitations of one pair at once create one record, and another type with the same address creates another', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => people.invite({ email_address: 'twice@demo.test' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409, 409, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)?.text ?? '';
    const { id } = await people.one<{ id: number }>(`select id from user_account where email_address = 'twice@demo.test'`);
    assert.match(refused, /already a record/);
    assert.match(refused, new RegExp(`href="/users/${id}">Open the existing record`));
    assert.equal((await people.entriesOf(id)).length, 1);
    assert.equal((await people.mailsTo(id, 'invitation')).length, 1);
    const other = await people.invited({ email_address: 'twice@demo.test', user_type: 'surrogate' });
    const first = await people.lastToken(other);
    assert.equal((await people.accept(first)).status, 200);
    assert.equal((await people.recordOf(id)).status, 'invited', 'only the right pair changes');
  });

  test('[INVITE-2] an invitation is sent again at most once a minute, and ends the previous one', async () => {
    const id = await people.invited({ email_address: 'again@demo.test' });
    const first = await people.lastToken(id);
    const early = await root.post(`/users/${id}/resend-invitation`);
    assert.equal(early.status, 429);
    assert.ok(Number(early.headers.get('retry-after')) > 0);
    clock += 61_000;
    const both = await Promise.all([1, 2, 3].map(() => root.post(`/users/${id}/resend-invitation`)));
    assert.deepEqual(both.map(({ status }) => status).sort(), [303, 429, 429]);
    const second = await people.lastToken(id);
    assert.notEqual(second, first);
    assert.equal((await people.accept(first)).status, 422);
    clock += 7 * DAY + 1000;
    assert.equal((await people.accept(second)).status, 422, 'seven days are over');
    await root.signIn(CAST.root.email_address, passwordOf('root'));
    assert.match((await root.get(`/users/${id}`)).text, /expired/);
    assert.equal((await root.post(`/users/${id}/resend-invitation`)).status, 303);
    assert.equal((await people.accept(await people.lastToken(id))).status, 200);
    assert.equal((await root.post(`/users/${id}/resend-invitation`)).status, 409, 'no longer awaited');
    await desk.signIn(CAST.finance.email_address, passwordOf('finance'));
  });
});
