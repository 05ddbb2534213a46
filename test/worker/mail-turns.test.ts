import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Database, Transaction } from '@case-platform/lib/database';
import { claimMailTurn, type EmailProvider, findMailTurn, queueEmail } from '@case-platform/modules/notifications';
import { CASE_1 } from '../support/cast.ts';
import { startApi } from '../support/platform.ts';
import { runOverlapping } from '../support/run-overlapping.ts';

/** Limits the mails to one address in an hour: no mail is lost, and one that protects an account never waits. */

const mails: { to: string; subject: string }[] = [];
const email: EmailProvider = {
  name: 'mailpit',
  async send({ to, subject }) {
    mails.push({ to, subject });
    return 'mail';
  },
};
const api = await startApi();
const [parent, escrow] = [await api.as('parent'), await api.as('escrow')];
const work = () => api.work({ email, mailsPerHour: 3 });
const subjects = (to: string) => mails.filter((mail) => mail.to === to).map(({ subject }) => subject);
/** Simulates that an hour passes. */
const later = async () => {
  await api.pool.query(`update delivery set due_at = due_at - interval '1 hour', created_at = created_at - interval '1 hour'`);
  await api.pool.query(`update message_mail set mailed_at = mailed_at - interval '1 hour'`);
  await api.pool.query(`update graphile_worker._private_jobs set run_at = run_at - interval '1 hour' where locked_at is null`);
};
let number = 0;
const queue = (tx: Transaction, event: 'disbursement_approved' | 'password_changed', email_address: string) => {
  number += 1;
  const isNotice = event === 'password_changed';
  return queueEmail(tx, {
    key: `turn:${number}`,
    event,
    subject: `${event} ${number}`,
    to: { id: parent.userId, user_type: 'ip', email_address },
    template_name: isNotice ? 'account_notice.html' : 'disbursement_approved.html',
    template_context: {
      first_name: '',
      headline: 'Changed',
      sentence: 'It was changed.',
      role: 'parent',
      url: 'http://localhost',
      amount: '$1.00',
      arrival: 'It should arrive on Monday, November 30.',
      category: 'Travel',
      payee_name: 'Sam',
      case_name: 'Case 1',
    },
  } as Parameters<typeof queueEmail>[1]);
};
const notify = (event: 'disbursement_approved' | 'password_changed', email_address = 'parent@demo.test') =>
  api.db.transaction((tx) => queue(tx, event, email_address));

beforeEach(async () => {
  mails.length = 0;
  number = 0;
  await api.pool.query('delete from delivery; delete from delivery_key');
  await api.pool.query('delete from graphile_worker._private_jobs');
});

test('[EMAIL-15] an address gets as many mails as the limit in an hour, and the rest in later hours, in their order', async () => {
  for (let at = 0; at < 8; at += 1) await notify('disbursement_approved', at % 2 === 0 ? 'parent@demo.test' : 'Parent@Demo.test');
  await work();
  const all = () => mails.map(({ subject }) => Number(subject.split(' ')[1]));
  assert.deepEqual(all().sort(), [1, 2, 3]);
  await notify('disbursement_approved', 'surrogate@demo.test');
  await work();
  assert.equal(subjects('surrogate@demo.test').length, 1, 'another address has its own limit');
  const { rows } = await api.pool.query(`select count(*)::int as n from delivery where state = 'queued'`);
  assert.equal(rows[0].n, 5, 'waiting mails are queued, not failed');
  await later();
  await work();
  assert.deepEqual(
    all()
      .filter((id) => id < 9)
      .sort(),
    [1, 2, 3, 4, 5, 6],
  );
  await later();
  await work();
  await work();
  assert.deepEqual(all().sort(), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('[EMAIL-15, NOTIFY-8] mails that protect an account never wait, and do not make others wait', async () => {
  for (let at = 0; at < 6; at += 1) await notify('password_changed');
  await work();
  assert.equal(mails.length, 6);
  const recipients = JSON.stringify([{ user_type: 'intended_parent', user_id: parent.userId }]);
  assert.equal((await escrow.form('/api/messages', { message: 'x', case_id: String(CASE_1), recipients })).status, 201);
  await work();
  assert.equal(subjects('parent@demo.test').filter((subject) => subject.startsWith('New')).length, 1);
  for (let at = 0; at < 4; at += 1) await notify('disbursement_approved');
  await notify('password_changed');
  await work();
  assert.deepEqual(
    [
      mails.filter(({ subject }) => subject.startsWith('d')).length,
      mails.filter(({ subject }) => subject.startsWith('p')).length,
    ],
    [2, 7],
  );
});

test('[EMAIL-15] conversations beyond the limit are mailed later, unless they were read meanwhile', async () => {
  const chains: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    const { body } = await parent.form('/api/messages', {
      message: 'x',
      subject: `Chain ${at}`,
      case_id: String(CASE_1),
    });
    chains.push(body.chain.id);
    await work();
  }
  assert.equal(subjects('escrow@demo.test').length, 3);
  await parent.form(`/api/messages/${chains[4]}`, { message: 'More' });
  await work();
  assert.equal((await escrow.post(`/api/messages/${chains[3]}/viewed`, {})).status, 200);
  await later();
  await work();
  assert.deepEqual(
    subjects('escrow@demo.test').slice(3),
    ['New in your conversation “Chain 4”'],
    'one mail for both of the last messages',
  );
  await later();
  await work();
  assert.equal(subjects('escrow@demo.test').length, 4);
});

test('[EMAIL-15] the first message of a conversation is mailed later when it has to wait, also a second time', async () => {
  for (let at = 0; at < 3; at += 1) await notify('disbursement_approved', 'escrow@demo.test');
  await work();
  const start = async (subject: string): Promise<number> =>
    (await parent.form('/api/messages', { message: 'x', subject, case_id: String(CASE_1) })).body.chain.id;
  const read = await start('Read in time');
  await start('Alone');
  await work();
  assert.equal(subjects('escrow@demo.test').length, 3);
  await api.pool.query('update graphile_worker._private_jobs set run_at = now() where locked_at is null');
  await work();
  assert.equal(subjects('escrow@demo.test').length, 3, 'the address still has no turn');
  await escrow.post(`/api/messages/${read}/viewed`, {});
  await later();
  await work();
  assert.deepEqual(subjects('escrow@demo.test').slice(3), ['New in your conversation “Alone”']);
});

test('[EMAIL-15] a turn is free an hour after the turns of the mails that were sent to the address', async () => {
  const sentAgo = (minutes: number, waited = 0, change: Record<string, string> = {}) => ({
    state: 'sent',
    event: 'new_message',
    channel: 'email',
    recipient: 'Parent@demo.test',
    ...change,
    created_at: `${minutes + waited} minutes`,
    due_at: waited === 0 ? null : `${minutes} minutes`,
  });
  const cases: [what: string, mails: ReturnType<typeof sentAgo>[], minutesToWait: number | null][] = [
    ['the newest two count', [sentAgo(5), sentAgo(20), sentAgo(40)], 40],
    ['one that waited counts from its turn', [sentAgo(5), sentAgo(10, 40), sentAgo(30)], 50],
    ['one that was turned off', [sentAgo(5), sentAgo(10, 0, { state: 'suppressed' })], null],
    ['one that waits to be sent', [sentAgo(5), sentAgo(10, 0, { state: 'queued' })], 50],
    ['one that protects the account', [sentAgo(5), sentAgo(10, 0, { event: 'password_changed' })], null],
    ['a text', [sentAgo(5), sentAgo(10, 0, { channel: 'sms' })], null],
    ['another address', [sentAgo(5), sentAgo(10, 0, { recipient: 'surrogate@demo.test' })], null],
  ];
  for (const [what, mails, minutesToWait] of cases) {
    await api.pool.query('delete from delivery; delete from delivery_key');
    await api.pool.query(
      `insert into delivery (delivery_key, user_id, state, event, channel, recipient, created_at, due_at)
       select gen_random_uuid(), $1, state, event, channel, recipient, now() - created_at, now() - due_at
         from json_to_recordset($2) as m (state text, event text, channel text, recipient text, created_at interval, due_at interval)`,
      [parent.userId, JSON.stringify(mails)],
    );
    const freeAt = await api.db.transaction((tx) => findMailTurn(tx, 'parent@demo.test', 2));
    assert.equal(freeAt && Math.round((freeAt.getTime() - Date.now()) / 60_000), minutesToWait, what);
  }
});

test('[EMAIL-15] of two mails that look for a turn at once, the second waits for the first and counts it', async () => {
  const takeTurn = async (tx: Transaction) => {
    await findMailTurn(tx, 'Parent@demo.test', 1);
    await queue(tx, 'disbursement_approved', 'Parent@demo.test');
    await tx.query({
      text: 'update delivery set due_at = now() where id = (select max(id) from delivery)',
      values: [],
    });
  };
  const look = () => api.db.transaction((tx) => findMailTurn(tx, 'parent@demo.test', 1));
  assert.ok((await runOverlapping(api, takeTurn, look)) instanceof Date);

  await api.pool.query('delete from delivery; delete from delivery_key');
  await notify('disbursement_approved');
  const { rows } = await api.pool.query('select id from delivery');
  const job = { delivery_id: rows[0].id } as Parameters<typeof claimMailTurn>[1];
  const claim = (db: Database = api.db) => claimMailTurn({ db, mailsPerHour: 1 }, job);
  assert.equal(await runOverlapping(api, takeTurn, () => claim()), false);

  // Two workers can have the same job for a moment: its mail has one turn.
  const due = async () => (await api.pool.query('select due_at from delivery where id = $1', [rows[0].id])).rows;
  const before = await due();
  await api.pool.query('update delivery set due_at = null where id = $1', [rows[0].id]);
  assert.equal(await runOverlapping(api, claim, () => claim()), false);
  assert.deepEqual(await due(), before);
});
