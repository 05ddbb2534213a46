import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '@case-platform/lib/database';
import { getBatch } from '@case-platform/modules/banking';
import { postMovements } from '@case-platform/modules/ledger';
import { moneyWords } from '@case-platform/words/money';
import { openBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { fundCase } from '../../support/money.ts';
import { arrive, arriveAtWork, signInToWeb, type WatchedPage } from '../../support/stack/arrive.ts';
import { useRealStack } from '../../support/stack/shared-stack.ts';
import { alive } from '../alive.ts';
import { confirmFile, makeFile, postForm, sendForm, signAndSend } from './bank-steps.ts';
import { keepLooks } from './picture.ts';
import { says, seen } from './seen.ts';

/**
 * A surrogate changes her bank account while two of her payments are in files for the bank, as she, a parent, finance, and the
 * escrow specialist see it. Steps that have a test of their own are sent without a page.
 */

const stack = await useRealStack();
const { webUrl, adminUrl, pool } = stack;
const db = createDatabase(pool);
const CASE = '/cases/1';

type Caller = Pick<WatchedPage, 'request'>;
const openManager = async (): Promise<Caller> => {
  const context = await openBrowser();
  await signInToWeb(context, webUrl, 'manager');
  return context;
};
// The parent's service worker would bypass the answer that a test makes up.
const [surrogate, parent, manager, finance, root, escrow] = await Promise.all([
  arrive(stack, 'surrogate', { path: '/profile', viewport: { width: 390, height: 844 } }),
  arrive(stack, 'parent', { path: null, serviceWorkers: 'block' }),
  openManager(),
  arriveAtWork(stack, 'finance', '/account'),
  arriveAtWork(stack, 'root', '/account'),
  arriveAtWork(stack, 'escrow', '/account'),
]);

async function callApi(who: Caller, method: 'GET' | 'POST' | 'PUT', path: string, data?: object) {
  const answer = await who.request.fetch(`${webUrl}/api${path}`, { method, ...(data && { data }) });
  assert.ok(answer.ok(), `${method} ${path}: ${await answer.text()}`);
  return answer.json();
}

const account = (holder_name: string, account_number: string) => ({
  holder_name,
  routing_number: '021000021',
  account_number,
  account_kind: 'checking',
});
const setAccount = (who: Caller, holder: string, number: string) =>
  callApi(who, 'PUT', '/user/me/bank-account', account(holder, number));
const readBalance = async () => (await callApi(parent, 'GET', CASE)).balance;
const read = (id: number, who: Caller = parent) => callApi(who, 'GET', `/disbursements/${id}`);
const submit = (who: Caller, id: number) => callApi(who, 'POST', `/disbursements/${id}/submit`, {});

/** Approves a request as the parent sees it. */
async function approve(id: number): Promise<void> {
  const { version } = await read(id);
  await callApi(parent, 'POST', `/disbursements/${id}/approve`, { version });
}

/** Writes and submits a request, and has the parent approve it. @returns its id. */
async function approved(who: Caller, fields: object): Promise<number> {
  const { id } = await callApi(who, 'POST', `${CASE}/disbursements`, fields);
  await submit(who, id);
  await approve(id);
  return id;
}

const desk = { adminUrl, pool, maker: finance, payer: root };
const batchOf = (path: string) => getBatch(db, Number(path.split('/')[2]), new Date());

const idOf = async (name: string): Promise<number> => {
  const { rows } = await pool.query('select id from user_account where email_address = $1 order by id', [`${name}@demo.test`]);
  return Number(rows[0].id);
};

// The demo's own requests would be on the same pages.
const { rows: unsent } = await pool.query("select id from banking_batch where status in ('draft', 'approved', 'generated')");
for (const { id } of unsent) await postForm(finance, `${adminUrl}/batches/${id}/cancel`, [['reason', 'Other payments']]);
const { rows: held } = await pool.query("select * from disbursement_request where status = 'approved' and case_id = 1");
const releases = held.map(({ id, amount_cents }) => ({
  case_id: 1,
  disbursement_id: Number(id),
  amount_cents: Number(amount_cents),
}));
await db.transaction(async (tx) => postMovements(tx, { kind: 'release', created_by: await idOf('root') }, releases));
await pool.query(`update disbursement_request set status = 'cancelled'
  where status in ('draft', 'submitted', 'approved', 'returned') and case_id = 1`);
await fundCase({ db }, 1, 2_000_000);
await setAccount(surrogate, 'Sarah Lindgren', '000001111');
await setAccount(manager, 'Megan Alvarado', '000002222');
await pool.query('update payee_bank_account set usable_from = created_at where replaced_at is null');
const train = await approved(surrogate, { amount_cents: 6_720, category: 'Travel', description: 'Train to the scan' });
const [toSarah, toManager] = [
  { payee: { user_type: 'surrogate', user_id: await idOf('surrogate') } },
  { payee: { user_type: 'case_manager', user_id: await idOf('manager') } },
];
const part = { amount_cents: 450_000, category: 'Base compensation', description: 'November compensation' };
const compensation = await approved(manager, { ...part, ...toSarah });
const parking = { amount_cents: 8_000, category: 'Travel', description: 'Parking at the clinic' };
const others = await approved(manager, { ...parking, ...toManager });
const oldBatch = await makeFile(desk, train);
const batch = await makeFile(desk, compensation, others);
const startedAt = new Date();
/** Money that was set aside for other requests of the case, which the bank has. */
const setAside = (await readBalance()).held_cents - 6_720 - 450_000 - 8_000;

const placeOf = async (id: number) => (await read(id)).whereabouts;

test('[WHERE-2, BANK-8] before she changes her account, the form lists what is not at the bank, and the change stops only that', async () => {
  for (const id of [train, compensation]) assert.equal((await placeOf(id)).label, 'Being sent');
  const panel = surrogate.locator('#bank-account');
  await (await alive(panel.getByRole('button', { name: 'Change the account' }))).click();
  await panel.getByLabel('Routing number').fill('121042882');
  for (const name of ['Account number', 'Confirm account number'])
    await panel.getByLabel(name, { exact: true }).fill('000457766');
  await panel.getByRole('button', { name: 'Save bank account' }).click();
  await says(panel, 'These 2 payments need another approval: $4,567.20');
  for (const words of ['Train to the scan', '$67.20', 'November compensation', '$4,500.00'])
    await says(panel.locator('li'), words);
  await panel.getByRole('heading', { name: /These 2 payments/ }).scrollIntoViewIfNeeded();
  await keepLooks(surrogate, 'account-change-stops');
  await panel.getByLabel('Send them for approval again now').uncheck();
  await panel.getByRole('button', { name: 'Change the account' }).click();
  await says(panel, 'We can’t pay this account yet');
  await says(panel, 'ending in 7766');
});

test('[BANK-11] payee, maker, approver, and escrow specialist get one mail each, with the payments that concern them', async () => {
  const mails = async () => {
    const { rows } = await pool.query<{ to: string; text: string }>(
      `select recipient as to, content->>'text' as text from delivery
        where event = 'payments_stopped' and channel = 'email' and content is not null and created_at >= $1 order by recipient`,
      [startedAt],
    );
    return rows;
  };
  const people = ['escrow', 'manager', 'parent', 'surrogate'].map((name) => `${name}@demo.test`);
  await eventually('everyone concerned has a mail', async () => (await mails()).length >= people.length);
  assert.deepEqual(
    (await mails()).map(({ to }) => to),
    people,
  );
  for (const { to, text } of await mails()) {
    const amounts = [...new Set(text.match(/\$[\d,.]+\d/g))];
    assert.deepEqual(amounts, to.startsWith('manager') ? ['$4,500.00'] : ['$67.20', '$4,500.00', '$4,567.20'], to);
  }
});

test('[BATCH-10, BANK-8] finance sees the blocked batch, removes what blocks it, and cancels the old one', async () => {
  // A request that is approved for the current account, which no batch of the previous one may take back.
  await approved(surrogate, { amount_cents: 41_236, category: 'Medical', description: 'Nursing pillow and bra' });
  const { effective_date } = await batchOf(batch);
  await finance.goto(adminUrl);
  await says(finance.locator(`a[href="${batch}"]`), 'Blocked');
  await finance.goto(adminUrl + batch);
  await says(finance.locator('.notice'), 'Blocked: 1 payment stops this batch');
  for (const name of [/^Sign/, /^Approve/, /^Download/])
    assert.equal(await finance.locator('main').getByRole('button', { name }).count(), 0);
  await keepLooks(finance, 'account-change-blocked');
  await finance.getByRole('button', { name: 'Remove this payment and make the file again' }).click();
  await finance.waitForURL(/[?&]done=/);
  const { entries, effective_date: day } = await batchOf(batch);
  const live = entries.filter(({ released_at }) => released_at === null);
  assert.deepEqual([live.map(({ amount_cents }) => amount_cents), day], [[8_000], effective_date]);
  await sendForm(finance, adminUrl + oldBatch, { action: `${oldBatch}/cancel`, fields: { reason: 'Paid twice' } });
});

/** The state and amount of each request of this story, oldest first. */
async function states(): Promise<string[]> {
  const { rows } = await pool.query(
    'select status, amount_cents::int as cents from disbursement_request where id >= $1 order by id',
    [train],
  );
  return rows.map(({ status, cents }) => `${status} ${moneyWords(cents)}`);
}

test('[WHERE-1, HOME-2, HOME-3] her home says what is on its way, and what she has to send again', async () => {
  assert.deepEqual(await states(), ['draft $67.20', 'draft $4,500.00', 'batched $80.00', 'approved $412.36']);
  await surrogate.goto(webUrl);
  await says(surrogate.locator('main'), '$412.36');
  await says(surrogate.locator('.page-lead'), /1 request to send again .*waiting for you/);
  await says(surrogate.locator('.notice'), 'Train to the scan');
  await seen(surrogate.getByRole('link', { name: 'Check it and send it again' })).click();
  await surrogate.waitForURL(`**/disbursements/${train}`);
  await (await alive(surrogate.getByRole('button', { name: 'Send again' }))).click();
  await says(surrogate.locator('main .state-pill'), 'Waiting for approval');
  await submit(manager, compensation);
});

test('[BANK-9, BANK-10, WHERE-3] the parent decides on one card, and nothing moves to an earlier day', async () => {
  const promised = (await placeOf(compensation)).arrives.date;
  await parent.goto(webUrl);
  const card = parent.getByRole('region', { name: 'Changed bank accounts' });
  await says(card, 'From …1111 to …7766. 2 payments, $4,567.20, were approved for the previous account. Did Sarah tell you?');
  await keepLooks(parent, 'account-change-card');
  const question = parent.locator('dialog[open]');
  // A request for the new account only gets the same alarm.
  const { id } = await callApi(surrogate, 'POST', `${CASE}/disbursements`, {
    amount_cents: 1_275,
    category: 'Medical',
    description: 'Vitamins',
  });
  await submit(surrogate, id);
  const single = parent.getByRole('article').filter({ has: parent.locator(`a[href="/disbursements/${id}"]`) });
  await (await alive(single.getByRole('button', { name: 'I don’t trust this' }))).click();
  await says(question, 'Stop all payments to Sarah Lindgren?');
  await question.getByRole('button', { name: 'Cancel' }).click();

  const refusal = { status: 409, json: { message: 'The case has too little.', code: 'insufficient_funds' } };
  await parent.route(`**/api/disbursements/${train}/approve`, (route) => route.fulfill(refusal), { times: 1 });
  await (await alive(card.getByRole('button', { name: 'Approve for …7766' }))).click();
  await question.getByRole('button', { name: 'Approve $4,567.20' }).click();
  await says(card, 'Approved 1 of 2 payments, $4,500.00');
  await says(card, '$67.20 for Train to the scan wasn’t approved. The case has too little.');
  assert.equal((await placeOf(compensation)).arrives.date, promised, 'the day accounts for the wait of the new account');

  // Something about the rest looks wrong.
  await says(card, '1 payment, $67.20, was approved for the previous account.');
  await card.getByRole('button', { name: 'I don’t trust this' }).click();
  await says(question, 'Sarah sees “Our team is checking this payment.” and not that it was you.');
  await question.getByLabel('What looks wrong?').fill('This is not her bank.');
  await question.getByRole('button', { name: 'Stop all payments' }).click();
  await says(card, 'All payments to Sarah Lindgren are stopped');
  await says(card, /You stopped all payments to Sarah Lindgren/);
  await eventually(
    'the card offers nothing while payments are stopped',
    async () => (await card.getByRole('button').count()) === 0,
  );
  await says(surrogate.locator('main'), 'Our team is checking this payment.');
  assert.doesNotMatch(await surrogate.locator('main').innerText(), /This is not her bank|stopped/);
});

test('[BANK-10, CASE-2] the escrow specialist clears the stop, and sees no money of a case of others', async () => {
  await escrow.goto(adminUrl);
  await says(escrow.locator('section[aria-labelledby="stops"]'), 'This is not her bank.');
  await keepLooks(escrow, 'account-change-stop');
  const path = `/disbursements/${train}`;
  await sendForm(escrow, adminUrl + path, {
    action: `${path}/clear-payments`,
    fields: { reason: 'Sarah confirmed it by phone' },
  });
  for (const part of ['/statement?from=2026-01-01&to=2026-01-31&format=csv', '/proofs'])
    assert.doesNotMatch(await (await escrow.request.get(`${adminUrl}/cases/3${part}`)).text(), /Balance|Issued by|Opening/, part);
  assert.equal(
    (await escrow.request.get(`${adminUrl}/cases/3/statement?from=2026-01-01&to=2026-01-31&format=csv`)).status(),
    404,
  );
});

test('[BANK-9, WHERE-2] the rest is approved for the new account, and only what the bank has is called so', async () => {
  const card = parent.getByRole('region', { name: 'Changed bank accounts' });
  await card.getByRole('button', { name: 'Approve for …7766' }).click();
  await parent.locator('dialog[open]').getByRole('button', { name: 'Approve $67.20' }).click();
  await says(card, 'Approved 1 payment, $67.20, for …7766');
  const approvedNow = ['approved $67.20', 'approved $4,500.00', 'batched $80.00', 'approved $412.36'];
  assert.deepEqual(await states(), [...approvedNow, 'submitted $12.75']);
  assert.deepEqual([(await placeOf(train)).state, (await placeOf(others)).label], ['on_hold', 'Being sent']);

  assert.equal((await readBalance()).held_cents - setAside, 505_956);
  await says(parent.locator('main'), moneyWords(setAside + 505_956));

  // The other payment of the batch goes to the bank with the file that was made again.
  await postForm(root, `${adminUrl + batch}/approve`, [['sha256', (await batchOf(batch)).list_sha256]]);
  await signAndSend(desk, batch);
  assert.equal((await placeOf(others)).label, 'Being sent');
  await confirmFile(desk, batch);
  assert.equal((await placeOf(others)).label, 'At the bank');
  await surrogate.goto(webUrl);
  await says(surrogate.locator('main'), '$4,979.56');
  assert.doesNotMatch(await surrogate.locator('main').innerText(), /At the bank/);
  const isMadeUp = (fault: string) => fault.includes(`${train}/approve`);
  for (const page of [surrogate, parent, finance, root, escrow])
    assert.deepEqual(
      page.faults.filter((one) => !isMadeUp(one)),
      [],
    );
});
