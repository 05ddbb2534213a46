import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullDayWords } from '@case-platform/words/day-words';
import { grant } from '../support/grant.ts';
import { startApi } from '../support/platform.ts';
import { startAdmin } from './start-admin.ts';

/** Starts a platform on which nothing has happened yet, because a dashboard counts everything. */
async function open() {
  const api = await startApi();
  const admin = await startAdmin({ database: api });
  const [root, escrow, viewer] = await admin.people('root', 'escrow', 'viewer');
  const idOf = async (email: string) =>
    Number((await api.pool.query('select id from user_account where email_address = $1 order by id', [email])).rows[0].id);
  return { api, admin, root, escrow, viewer, idOf };
}

/** Returns the markup of one section of a page. */
const partOf = (text: string, id: string) => new RegExp(`aria-labelledby="${id}"[\\s\\S]*?</section>`).exec(text)?.[0] ?? '';

test('[HOME-2] the dashboard says that there is nothing to do, in each part that the role works with', async () => {
  const { root, viewer } = await open();
  const { text } = await root.get('/');
  assert.match(text, /Nothing is waiting for you/);
  assert.match(partOf(text, 'unread'), /You’re all caught up[\s\S]*|href="\/messages\?show/);
  assert.match(partOf(text, 'approvals'), /No requests are waiting for you/);
  assert.match(partOf(text, 'cases'), /You have no cases yet/);
  assert.equal(partOf(text, 'closing'), '');
  assert.doesNotMatch(text, /class="desk"/);
  assert.equal(partOf((await viewer.get('/')).text, 'approvals'), '', 'a role without approve_drs');
});

test('[HOME-2] the dashboard shows the newest unread conversations and a link to all of them', async () => {
  const { api, escrow, viewer } = await open();
  const parent = await api.as('parent');
  await parent.form('/api/messages', { message: 'When does it begin?', subject: 'The beginning', case_id: '1' });
  const { text } = await escrow.get('/');
  assert.match(text, /1 unread message in 1 conversation\./);
  assert.match(partOf(text, 'unread'), /The beginning/);
  assert.match((await escrow.get('/messages?show=unread')).text, /The beginning/);
  assert.doesNotMatch((await viewer.get('/')).text, /The beginning/);
});

test('[HOME-2, PERSON-5, RETURN-7] requests are shown to people who decide, and returned ones to people who pay again', async () => {
  const { api, root, escrow, viewer, idOf } = await open();
  const [surrogate, rootId] = [await idOf('surrogate@demo.test'), await idOf('root@demo.test')];
  await api.pool.query(
    `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
                                       submitted_at, approver_id)
     values (1, 'submitted', 12345, 'travel', 'A flight home', $1, $1, $1, now(), null),
            (1, 'submitted', 500, 'travel', 'A taxi of our own', $1, $2, $2, now(), null)`,
    [surrogate, rootId],
  );
  const { text } = await root.get('/');
  assert.match(partOf(text, 'approvals'), /A flight home[\s\S]*\$123\.45[\s\S]*Sarah Lindgren/);
  assert.doesNotMatch(partOf(text, 'approvals'), /A taxi of our own/);
  assert.match(text, /1 request to approve/);
  assert.doesNotMatch((await escrow.get('/')).text, /A flight home/);

  await api.pool.query(
    `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
                                       submitted_at, approver_id, decided_at, paid_at, returned_at, return_code)
     select case_id, 'returned', 500 + case_id, 'travel', 'Ride of case ' || case_id, $1, $1, $1, now(), $2, now(), now(), now(), 'R01'
       from unnest(array[1, 3]) case_id`,
    [surrogate, await idOf('parent2@demo.test')],
  );
  // Someone who makes payments sees requests of all cases, but pays again only those of their own.
  await grant(api.pool, 'escrow', 'make_payments');
  const rides = (page: string) => (page.match(/Ride of case \d/g) ?? []).sort();
  const shown = async (visitor: typeof root) => rides(partOf((await visitor.get('/')).text, 'sent-back'));
  assert.deepEqual(await shown(escrow), ['Ride of case 1']);
  assert.deepEqual(await shown(root), ['Ride of case 1', 'Ride of case 3']);
  assert.deepEqual(await shown(viewer), []);
  assert.match((await escrow.get('/disbursements?status=returned')).text, /Ride of case 3/);
});

test('[HOME-2] cases that are to be closed soon wait for their escrow specialist, and lead to the list of them', async () => {
  const { api, root, escrow, idOf } = await open();
  const soon = `update case_file set close_due_on = current_date + 5 where id = 2 returning close_due_on::text as due`;
  const { rows } = await api.pool.query(soon);
  await api.pool.query(`update case_file set close_due_on = current_date + 60 where id = 1`);
  const part = partOf((await escrow.get('/')).text, 'closing');
  assert.match(part, /href="\/cases\/2"/);
  // The title has the year if it is not the current one.
  assert.ok(part.includes(`<time datetime="${rows[0].due}" title="${fullDayWords(rows[0].due)}"`), part);
  assert.doesNotMatch(part, /href="\/cases\/1"/);
  const list = await escrow.get(`/cases?specialist=${await idOf('escrow@demo.test')}&due=soon`);
  assert.match(list.text, /Showing cases that close within 14 days[\s\S]*href="\/cases\/2"/);
  assert.doesNotMatch(list.text, /href="\/cases\/1"/);
  assert.equal(partOf((await root.get('/')).text, 'closing'), '');
  await api.pool.query(`update case_file set status = 'closed' where id = 2`);
  assert.equal(partOf((await escrow.get('/')).text, 'closing'), '');
});

test('[HOME-2, CHAIN-5] the unassigned queue and failed deliveries are shown to those who work on them', async () => {
  const { api, root, escrow, viewer } = await open();
  const stranger = await api.as('totp');
  await stranger.form('/api/messages', { message: 'Is anybody there?', subject: 'Hello', case_id: '3' });
  await api.pool.query(
    `insert into delivery (delivery_key, channel, event, recipient, state) values ('x', 'sms', 'two_factor_code', '+1', 'failed')`,
  );
  for (const visitor of [root, escrow]) {
    const { text } = await visitor.get('/');
    assert.match(text, /href="\/messages\?assigned(=|&#61;)nobody"[\s\S]*1 conversation needs an owner/);
    assert.match(text, /href="\/deliveries\?state(=|&#61;)failed"[\s\S]*1 delivery has failed/);
  }
  assert.match((await escrow.get('/messages?assigned=nobody')).text, /Hello/);
  assert.doesNotMatch((await viewer.get('/')).text, /needs an owner|has failed/);
  await api.pool.query(`update message_chain set status = 'closed' where subject = 'Hello'`);
  assert.doesNotMatch((await root.get('/')).text, /needs an owner/, 'a closed conversation does not wait');
});

test('[SIGN-IN-12] people who are not staff are led to their own application', async () => {
  const { admin } = await open();
  const page = await (await admin.as('surrogate')).get('/');
  assert.match(
    page.text,
    /This application is for escrow staff[\s\S]*href="http:\/\/localhost:3000\/login\?role&#61;surrogate&#38;callbackUrl&#61;%2Fmessages"/,
  );
  assert.doesNotMatch(page.text, /href="\/cases"/);
});
