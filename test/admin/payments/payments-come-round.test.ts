import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { findActiveUserById } from '@case-platform/modules/accounts';
import { retryDisbursement } from '@case-platform/modules/disbursements';
import { findCaseBalance } from '@case-platform/modules/ledger';
import { CASE_1 } from '../../support/cast.ts';
import { decide, fundCase, moveCash } from '../../support/money.ts';
import { returnFile } from '../../support/return-file.ts';
import { BANK, gather, openDesk, press, problemOf, readReturns, releaseBatch, step, takeIn } from '../batches/batches-desk.ts';

/** A returned payment is paid again, and never twice. */

const { api, surrogate, parent, root, finance, escrow, approved, putAccount, statusOf } = await openDesk();
await putAccount(surrogate);
await root.post('/batches/bank', BANK);
const specialist = await api.as('escrow');
const rowsOf = async (text: string, values: unknown[] = []) => (await api.pool.query(text, values)).rows;

/** Brings requests to the bank. @returns the path of the batch. */
async function transmit(ids: number[], { outcome = true } = {}): Promise<string> {
  const path = await releaseBatch(finance, root, ids);
  if (outcome) await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 1' });
  return path;
}
const traceOf = async (id: number): Promise<string> =>
  (await rowsOf('select trace_number from banking_batch_entry where disbursement_id = $1 order by id desc limit 1', [id]))[0]
    .trace_number;
const fileOf = async (id: number, code = 'R03') => returnFile([{ code, trace: await traceOf(id), cents: 12_500 }]);
const sendBack = async (id: number, code?: string) => readReturns(finance, root, await fileOf(id, code));
const movementsOf = async (id: number): Promise<string[]> =>
  (await rowsOf('select kind from ledger_transaction where disbursement_id = $1 order by id', [id])).map(({ kind }) => kind);
const retry = (id: number, body: object = {}) => specialist.post(`/api/disbursements/${id}/retry`, body);
let accounts = 0;
const otherAccount = async () => {
  accounts += 1;
  const answer = await putAccount(surrogate, { account_number: `5566778${accounts}` });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
};
/** Ends the waiting time of accounts and clears their flags. */
const later = () => rowsOf('update payee_bank_account set usable_from = created_at, flag_code = null, flagged_at = null');

/** Creates a request that the bank returned, of a payee whose account can be paid. @returns its id. */
async function returned({ code = 'R03', settled = true } = {}): Promise<number> {
  await later();
  const id = await approved();
  const path = await transmit([id]);
  if (settled) await step(root, path, 'settle');
  const read = await sendBack(id, code);
  assert.equal(read.status, 200, problemOf(read));
  assert.equal(await statusOf(id), 'returned');
  return id;
}

describe('a returned payment is paid again', () => {
  test('[RETRY-1] the payee corrects the account, the specialist pays it again, and the next batch takes it', async () => {
    const id = await returned();
    const returnedPayment = (await surrogate.get(`/api/disbursements/${id}`)).body.return;
    assert.deepEqual([returnedPayment.code, returnedPayment.who_acts], ['R03', 'payee']);
    assert.match(returnedPayment.what_to_do, /^Enter another bank account/);
    assert.match((await parent.get(`/api/disbursements/${id}`)).body.return.what_to_do, /^Sarah Lindgren needs to enter/);
    const early = await retry(id);
    assert.deepEqual([early.status, early.body.code], [409, 'account_not_changed']);

    assert.match(
      (await escrow.get('/')).text,
      /Sent back by the bank[\s\S]*Train to the clinic[\s\S]*Waiting for Sarah Lindgren/,
    );
    await otherAccount();
    assert.match((await escrow.get('/')).text, /Your turn/);
    const next = (await surrogate.get(`/api/disbursements/${id}`)).body;
    assert.equal(next.return.who_acts, 'staff');
    assert.match(next.waiting_for, /^Waiting for the escrow specialist to pay it again/);
    const page = await escrow.get(`/disbursements/${id}`);
    assert.match(page.text, /Pay \$125\.00 again/);
    assert.equal((await escrow.fill(page, `/disbursements/${id}/retry`)).status, 303);
    const again = (await surrogate.get(`/api/disbursements/${id}`)).body;
    assert.deepEqual(
      [again.status, again.return, again.paid_at, again.returned_at, again.return_code],
      ['approved', null, null, null, null],
    );
    assert.equal(again.expected_bank_date, '2026-11-27', 'after the account has cooled off, and Thanksgiving');

    assert.equal((await finance.post('/batches', { disbursement_ids: String(id) })).status, 409, 'it cools off');
    await later();
    await step(root, await transmit([id]), 'settle');
    assert.equal(await statusOf(id), 'paid');
    assert.deepEqual(await movementsOf(id), ['hold', 'payment', 'return', 'hold', 'payment']);
    const [audited] = await rowsOf(`select after from audit_entry where action = 'disbursement.retry' and subject_id = $1`, [id]);
    assert.deepEqual(audited.after, { status: 'approved', return_code: 'R03' });
  });

  test('[RETRY-1] with the same account it is paid again only with a reason', async () => {
    const id = await returned({ code: 'R17' });
    const page = await escrow.get(`/disbursements/${id}`);
    assert.match(page.text, /Why will it arrive this time\?/);
    // Instead of paying it again, staff can write to the payee.
    const [, address] = /href="(\/messages\/new[^"]+)">Write to Sarah Lindgren</.exec(page.text) ?? [];
    const letter = await escrow.get((address ?? '').replaceAll('&#38;', '&').replaceAll('&#61;', '='));
    assert.match(letter.text, new RegExp(`value="Request ${id}: [^"]+, \\$125\\.00"`));
    assert.equal((await retry(id)).status, 422);
    assert.equal((await retry(id, { reason: '  ' })).status, 422);
    assert.equal((await retry(id, { reason: 'The bank took it for a fraud, and says sorry.' })).body.status, 'approved');
  });

  test('[RETRY-1, PERSON-5] only staff with edit_drs on the case pay it again, never the payee or someone who set the account', async () => {
    const id = await returned({ code: 'R17' });
    const body = { reason: 'Cleared' };
    for (const who of ['surrogate', 'parent', 'manager', 'owner', 'finance', 'viewer'] as const)
      assert.equal((await (await api.as(who)).post(`/api/disbursements/${id}/retry`, body)).status, 403, who);
    // The module rejects it without the routes' guards too.
    const actor = await findActiveUserById(api.db, (await api.as('viewer')).userId);
    assert.ok(actor);
    await rowsOf('insert into case_admin (case_id, user_id) values ($1, $2) on conflict do nothing', [CASE_1, actor.id]);
    const retried = retryDisbursement({ db: api.db, now: () => new Date() }, id, body, { actor, origin: SYSTEM });
    await assert.rejects(retried, { message: /^Only the case’s escrow specialist/ });
    const enteredBy = (user: number) =>
      rowsOf('update payee_bank_account set created_by = $2 where user_id = $1 and replaced_at is null', [
        surrogate.userId,
        user,
      ]);
    await enteredBy(specialist.userId);
    const own = await retry(id, body);
    assert.deepEqual([own.status, own.body.code], [403, 'same_person']);
    await enteredBy(parent.userId);
    const approver = await retry(id, body);
    assert.deepEqual([approver.status, approver.body.code], [403, 'same_person'], 'who approved has entered it since');
    await enteredBy(surrogate.userId);
    const stale = await retry(id, { ...body, version: 'another' });
    assert.deepEqual([stale.status, stale.body.code, stale.body.current.id], [409, 'changed', id]);
    const { version } = (await specialist.get(`/api/disbursements/${id}`)).body;
    assert.equal((await retry(id, { ...body, version })).status, 200);
  });

  test('[RETRY-2, FUNDS-1] a payment that the case cannot afford, or whose scheduled payment was requested again, is not paid again', async () => {
    const id = await returned({ code: 'R17' });
    await rowsOf(`update case_file set status = 'closed' where id = 1`);
    assert.equal((await retry(id, { reason: 'Cleared' })).body.code, 'case_closed');
    await rowsOf(`update case_file set status = 'active' where id = 1`);
    const [line] = await rowsOf(
      `insert into scheduled_payment (case_id, category, description, amount_cents, due_date, payee_id)
       values (1, 'Allowance', 'Monthly', 12500, '2026-12-01', $1) returning id`,
      [surrogate.userId],
    );
    await rowsOf(`update disbursement_request set scheduled_payment_id = $2, category = 'Allowance' where id = $1`, [
      id,
      line.id,
    ]);
    const newRequest = await approved({ scheduled_payment_id: line.id });
    assert.equal((await retry(id, { reason: 'Cleared' })).body.code, 'already_requested');
    await rowsOf('update disbursement_request set scheduled_payment_id = null where id = $1', [newRequest]);
    await rowsOf(`update scheduled_payment set status = 'cancelled' where id = $1`, [line.id]);
    assert.equal((await retry(id, { reason: 'Cleared' })).body.code, 'not_planned');
    await rowsOf('update disbursement_request set scheduled_payment_id = null where id = $1', [id]);
    const { available_cents } = await findCaseBalance(api.db, CASE_1);
    const gone = available_cents - 12_499;
    await moveCash(api, CASE_1, { kind: 'refund', amount_cents: gone, memo: 'Ends early' });
    assert.equal((await retry(id, { reason: 'Cleared' })).body.code, 'insufficient_funds', 'a cent is missing');
    await moveCash(api, CASE_1, { kind: 'deposit', amount_cents: 1, memo: 'The missing cent' });
    assert.equal((await retry(id, { reason: 'Cleared' })).status, 200);
    await fundCase(api, CASE_1, gone);
  });
});

describe('nothing is paid twice', () => {
  test('[RETRY-2] of twenty retries at once one succeeds', async () => {
    const id = await returned();
    await otherAccount();
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => retry(id)))).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, ...Array(19).fill(409)]);
    assert.deepEqual(await movementsOf(id), ['hold', 'payment', 'return', 'hold']);
  });

  test('[RETRY-2] a late return of the first payment changes nothing of the second', async () => {
    const id = await returned();
    const first = await traceOf(id);
    await otherAccount();
    const again = returnFile([
      { code: 'R03', trace: first, cents: 12_500 },
      { code: 'R02', trace: '091000019999999', cents: 1 },
    ]);
    const taken = await takeIn(finance, again);
    const path = (taken.location ?? '').split('?', 1)[0] ?? '';
    const page = await root.get(path);
    const [confirmed, retried] = await Promise.all([root.fill(page, `${path}/confirm`), retry(id)]);
    assert.deepEqual([confirmed.status, retried.status], [303, 200]);
    assert.equal(await statusOf(id), 'approved');
    await later();
    await step(root, await transmit([id]), 'settle');
    const late = await readReturns(finance, root, again.replace('091000019999999', '091000019999998'));
    assert.match(late.text, /Already recorded/);
    assert.equal(await statusOf(id), 'paid');
    await sendBack(id, 'R02');
    assert.equal(await statusOf(id), 'returned', 'the second payment comes back by its own number');
    assert.deepEqual(await movementsOf(id), ['hold', 'payment', 'return', 'hold', 'payment', 'return']);
  });

  test('[BATCH-2] a request is in one live batch at most, enforced by the table', async () => {
    const id = await returned();
    await otherAccount();
    await retry(id);
    await later();
    await gather(finance, [id]);
    const twice = api.pool.query(
      `insert into banking_batch_entry (batch_id, disbursement_id, bank_account_id, amount_cents)
       select batch_id, disbursement_id, bank_account_id, amount_cents from banking_batch_entry
        where disbursement_id = $1 and returned_at is null`,
      [id],
    );
    await assert.rejects(twice, { constraint: 'banking_batch_entry_live_idx' });
  });
});

describe('before a batch is settled', () => {
  test('[RETURN-6] payments returned before settling never count as paid, and the rest is settled without them', async () => {
    await later();
    const [gone, kept] = [await approved(), await approved()];
    const path = await transmit([gone, kept]);
    const seen = await root.get(path);
    await sendBack(gone);
    const request = (await surrogate.get(`/api/disbursements/${gone}`)).body;
    assert.deepEqual([request.status, request.paid_at], ['returned', null]);
    assert.deepEqual(await movementsOf(gone), ['hold', 'release']);
    const stale = await root.fill(seen, `${path}/settle`, { reason: 'It is on the statement' });
    assert.equal(stale.status, 409, 'what was seen is not what would be settled');
    assert.match((await root.get(path)).text, /1 payment in this batch came back[\s\S]*Mark \$125\.00 as paid/);
    await step(root, path, 'settle');
    assert.deepEqual([await statusOf(gone), await statusOf(kept)], ['returned', 'paid']);
    assert.deepEqual(await movementsOf(gone), ['hold', 'release']);
    assert.match((await root.get('/payments?state=paid')).text, new RegExp(`/disbursements/${gone}"`));
  });

  test('[RETURN-6] a return from a file whose outcome was unknown proves that the bank has it', async () => {
    await later();
    const [gone, kept] = [await approved(), await approved()];
    const path = await transmit([gone, kept], { outcome: false });
    const { location } = await takeIn(root, await fileOf(gone));
    const file = (location ?? '').split('?', 1)[0] ?? '';
    const byMaker = await finance.fill(await finance.get(file), `${file}/confirm`);
    assert.equal(byMaker.status, 403, 'who has made the batch does not say that the bank has it');
    assert.equal(await statusOf(gone), 'batched');
    await finance.fill(await finance.get(file), `${file}/refuse`, { reason: 'Read in by somebody else' });
    await sendBack(gone);
    assert.match((await root.get(path)).text, /The bank has answered about one of its payments/);
    assert.equal((await press(api, root, path, 'outcome', { outcome: 'refused', note: 'Not sure' })).status, 409);
    assert.equal((await root.get(`${path}/file`)).status, 409, 'it cannot be sent again');
    await step(root, path, 'settle');
    assert.deepEqual([await statusOf(gone), await statusOf(kept)], ['returned', 'paid']);
  });

  test('[BATCH-5] a batch is settled from its bank date on, and before that only with a reason', async () => {
    await later();
    const [one, other] = [await transmit([await approved()]), await transmit([await approved()])];
    const settle = (path: string, fields: Record<string, string>) =>
      press(api, root, path, 'settle', { before_bank_date: '', reason: '', ...fields });
    const refused = await settle(one, {});
    assert.equal(refused.status, 409);
    assert.match(problemOf(refused), /The bank pays this batch on Tuesday, November 24, 2026/);
    assert.equal((await settle(one, { before_bank_date: 'yes' })).status, 422, 'no reason');
    assert.equal((await settle(one, { before_bank_date: 'yes', reason: 'It is on the statement' })).status, 303);
    const [audited] = await rowsOf(`select after from audit_entry where action = 'banking_batch.settle' and subject_id = $1`, [
      one.split('/')[2],
    ]);
    assert.deepEqual([audited.after.before_bank_date, audited.after.reason], [true, 'It is on the statement']);
    await rowsOf(`update banking_batch set effective_date = '2026-11-23' where id = $1`, [other.split('/')[2]]);
    assert.equal((await settle(other, {})).status, 303);
  });
});

test('[REQUEST-1] a returned request cannot be decided about again', async () => {
  const id = await returned();
  assert.equal((await decide(parent, id, 'approve')).status, 409);
});
