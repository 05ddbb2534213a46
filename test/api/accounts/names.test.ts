import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { addParticipant, addToTeam, setEscrowSpecialist } from '@case-platform/modules/cases';
import type { EmailProvider } from '@case-platform/modules/notifications';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
const { parent, surrogate, escrow, bothSurrogate: stranger } = await api.everyone();
const rows = async (text: string, ...values: unknown[]) => (await api.pool.query(text, values)).rows;
const rename = (who: Client, first_name: string, last_name: string) =>
  who.call('PATCH', '/api/user/me', {
    body: JSON.stringify({ first_name, last_name }),
    headers: { 'content-type': 'application/json' },
  });
const setName = (who: Client, first: string, last: string) =>
  rows('update user_account set first_name = $2, last_name = $3 where id = $1', who.userId, first, last);
const bySystem = { actor: null, origin: SYSTEM };

interface Mail {
  to: string;
  subject: string;
  html: string;
  text: string;
}
const mails: Mail[] = [];
const email: EmailProvider = { name: 'mailpit', send: async (mail) => `mail-${mails.push(mail)}` };

beforeEach(async () => {
  await setName(surrogate, 'Paige', 'Lindgren');
  await setName(escrow, 'Elena', 'Marsh');
  await api.work({ email });
  mails.length = 0;
});

describe('[ACCOUNT-2] PATCH /api/user/me', () => {
  test('a name with a web or email address is rejected', async () => {
    for (const name of ['https://evil.example', 'evil.com', 'Paige evil。com', 'me@evil', 'www.evil']) {
      const { status, body } = await rename(surrogate, 'Paige', name);
      assert.deepEqual([status, body.errors?.[0]?.field], [422, 'last_name'], name);
      assert.match(body.errors[0].message, /can’t contain a web or email address/);
    }
    assert.equal((await rename(surrogate, 'J.R.', 'Lindgren-St. James')).status, 200);
  });

  test('a name that can be mistaken for that of staff on one’s case is rejected, and that of others is not', async () => {
    const likeStaff = ['Elena Marsh', 'ELENA marsh', 'Élena Marsh', 'EIena Marsh', 'Еlеnа Mаrѕh', 'E. lena Marsh'];
    for (const name of likeStaff) {
      const [first = '', ...last] = name.split(' ');
      const { status, body } = await rename(surrogate, first, last.join(' '));
      assert.deepEqual([status, body.errors?.[0]?.field], [422, 'first_name'], name);
    }
    const [{ last_name }] = await rows('select last_name from user_account where id = $1', surrogate.userId);
    assert.equal(last_name, 'Lindgren');
    assert.equal((await rename(surrogate, 'Elena', 'Marshall')).status, 200);
    // Case 3 has no specialist, and no one called Elena is on its team.
    const elsewhere = await api.as('smsotp');
    const before = (await elsewhere.get('/api/user/me')).body;
    assert.equal((await rename(elsewhere, 'Elena', 'Marsh')).status, 200);
    await rename(elsewhere, before.first_name, before.last_name);
  });

  test('the people of the case see another name, the specialist gets a mail, and the audit log has it', async () => {
    assert.equal((await rename(surrogate, 'Paige', 'Whitlock')).status, 200);
    for (const who of [parent, surrogate, escrow]) {
      const { data } = (await who.get(`/api/cases/${CASE_1}/timeline?kind=person`)).body;
      assert.equal(data[0].text, 'Paige Lindgren is now called Paige Whitlock');
      assert.equal(data[0].by.name, 'Paige Whitlock');
    }
    assert.equal((await stranger.get(`/api/cases/${CASE_1}/timeline?kind=person`)).status, 404);
    assert.deepEqual((await stranger.get(`/api/cases/${CASE_2}/timeline?kind=person`)).body.data, []);
    await api.work({ email });
    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      [['escrow@demo.test', 'Paige Lindgren is now called Paige Whitlock']],
    );
    const entries = await rows(
      `select actor_id::int, case_id::int, before, after from audit_entry where action = 'case.rename_person' order by id desc limit 1`,
    );
    assert.deepEqual(entries, [
      {
        actor_id: surrogate.userId,
        case_id: CASE_1,
        before: { name: 'Paige Lindgren' },
        after: { user_id: surrogate.userId, name: 'Paige Whitlock' },
      },
    ]);
    const count = async () => (await rows(`select from audit_entry where action = 'case.rename_person'`)).length;
    const before = await count();
    assert.equal((await rename(surrogate, 'Paige', 'Whitlock')).status, 200);
    assert.equal(await count(), before, 'the same name again is no change');
  });
});

test('[ACCOUNT-5] a person whose name could be mistaken for that of staff on a case does not join it, and neither do such staff', async () => {
  const add = (user: { email_address: string; user_type: 'surrogate' }) => addParticipant(api.db, CASE_1, user, bySystem);
  const both = { email_address: 'both@demo.test', user_type: 'surrogate' } as const;
  const [{ first_name, last_name }] = await rows('select * from user_account where id = $1', stranger.userId);
  await setName(stranger, 'Elena', 'Mаrsh');
  await assert.rejects(add(both), { code: 'invalid_input' });
  assert.deepEqual(await rows('select from case_participant where case_id = 1 and user_id = $1', stranger.userId), []);
  await setName(stranger, first_name, last_name);

  await setName(surrogate, 'Root', 'Administrator');
  const [{ id: root }] = await rows(
    `update user_account set first_name = 'Root', last_name = 'Administrator' where email_address = 'root@demo.test' returning id`,
  );
  await rows('delete from case_admin where case_id = 1 and user_id = $1', root);
  await assert.rejects(addToTeam(api.db, CASE_1, Number(root), bySystem), { code: 'invalid_input' });
  const takeOver = api.db.transaction((tx) => setEscrowSpecialist(tx, CASE_1, Number(root), bySystem));
  await assert.rejects(takeOver, { code: 'invalid_input' });
  await setName(surrogate, 'Paige', 'Lindgren');
  await addToTeam(api.db, CASE_1, Number(root), bySystem);
});

test('[EMAIL-12] names and subjects in a mail never become links, in its subject, its HTML, and its text', async () => {
  await setName(surrogate, 'www.evil.example', 'https://evil.example/pay');
  const subject = 'Pay at https://evil.example/x, evil.com or me@evil.net';
  const { status } = await surrogate.form('/api/messages', { message: 'Hello', subject, case_id: String(CASE_1) });
  assert.equal(status, 201);
  await api.work({ email });
  const mail = mails.find(({ to }) => to === 'escrow@demo.test') ?? assert.fail('no mail');
  assert.ok(mail.subject.replaceAll('\u2060', '').includes(subject), 'the same to the eye');
  const readable = mail.html.replaceAll(/<[^>]*>/g, ' ');
  for (const part of [mail.subject, readable, mail.text]) {
    const foreign = part.replaceAll(/http:\/\/(localhost|127\.0\.0\.1):\d+\S*/g, '');
    assert.doesNotMatch(foreign, /:\/\/|\S@\S*\.\w|\w\.(com|net|example)/);
  }
  assert.match(mail.text, /http:\/\/localhost:4001\/messages\/\d+/, 'our own link stays one');
  assert.doesNotMatch(mail.html, /href="[^"]*evil/);
});
