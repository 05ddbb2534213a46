import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISBURSEMENT_STATUSES } from '@case-platform/modules/disbursements';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { ASKED, bringTo, decide, draft, fundCase, move } from '../../support/money.ts';
import { type Answer, type Client, startApi } from '../../support/platform.ts';

/** Claims of scheduled payments: who may make them, when they count, and what they leave planned (PLAN-3 to PLAN-5). */

const api = await startApi();
const { surrogate, manager, parent, escrow } = await api.everyone();

async function plan(case_id: number, fields: { payee?: Client; category?: string; amount_cents?: number } = {}) {
  const { payee, category = ASKED.category, amount_cents = 4_500_00 } = fields;
  const { rows } = await api.pool.query<{ id: string }>(
    `insert into scheduled_payment (case_id, category, due_date, amount_cents, payee_id)
     values ($1, $2, current_date + 10, $3, $4) returning id`,
    [case_id, category, amount_cents, payee?.userId ?? null],
  );
  return Number(rows[0]?.id);
}

const ask = (who: Client, case_id: number, scheduled_payment_id: number, fields: object = {}): Promise<Answer> =>
  who.post(`/api/cases/${case_id}/disbursements`, { ...ASKED, scheduled_payment_id, ...fields });
const patch = (who: Client, id: number, fields: object): Promise<Answer> =>
  who.call('PATCH', `/api/disbursements/${id}`, {
    body: JSON.stringify(fields),
    headers: { 'content-type': 'application/json' },
  });
const field = ({ status, body }: Answer) => [status, body.errors?.[0]?.field];
const REFUSED = [422, 'scheduled_payment_id'];
const payee = (who: Client, user_type: string) => ({ payee: { user_type, user_id: who.userId } });

test('[PLAN-3] a request claims a scheduled payment only for its case, payee, and category, in every step', async () => {
  const caseId = await copyCase(api, CASE_1);
  const line = await plan(caseId, { payee: surrogate });
  const fits = { amount_cents: 1 };
  assert.deepEqual(field(await ask(manager, caseId, line, fits)), REFUSED, 'a case manager for himself');
  assert.deepEqual(field(await ask(parent, caseId, line, fits)), REFUSED, 'a parent for herself');
  assert.deepEqual(field(await ask(surrogate, caseId, line, { category: 'Other' })), REFUSED, 'another category');
  assert.deepEqual(field(await ask(surrogate, caseId, await plan(CASE_2, { payee: surrogate }))), REFUSED);
  assert.deepEqual(field(await ask(surrogate, caseId, await plan(caseId, { payee: parent }))), REFUSED);
  // Someone else may write it for the payee.
  const { id } = await draft(manager, {
    case_id: caseId,
    scheduled_payment_id: line,
    ...payee(surrogate, 'surrogate'),
  });
  assert.deepEqual(field(await patch(manager, id, payee(manager, 'case_manager'))), REFUSED, 'changed to himself');
  assert.deepEqual(field(await patch(manager, id, { category: 'Other' })), REFUSED);
  assert.deepEqual(field(await patch(escrow, id, payee(parent, 'intended_parent'))).slice(0, 1), [403], 'a draft of others');
  // The line may change while the draft waits.
  await api.pool.query('update scheduled_payment set payee_id = $2 where id = $1', [line, parent.userId]);
  assert.deepEqual(field(await manager.post(`/api/disbursements/${id}/submit`)), REFUSED);
  await api.pool.query('update scheduled_payment set payee_id = $2 where id = $1', [line, surrogate.userId]);
  assert.equal((await move(manager, id, 'submit')).status, 'submitted');
  assert.deepEqual(field(await patch(manager, id, payee(manager, 'case_manager'))), REFUSED, 'after it was sent');
});

test('[PLAN-3] a scheduled payment without a payee is for the surrogate, or for anyone on a case without one', async () => {
  const caseId = await copyCase(api, CASE_1);
  const line = await plan(caseId);
  assert.deepEqual(field(await ask(manager, caseId, line)), REFUSED);
  assert.equal((await ask(surrogate, caseId, line)).status, 201);
  await api.pool.query('delete from case_participant where case_id = $1 and user_id = $2', [caseId, surrogate.userId]);
  assert.equal((await ask(manager, caseId, line)).status, 201);
});

test('[PLAN-4] a claim counts from submission until the request is over; a draft takes nothing from the payee', async () => {
  const caseId = await copyCase(api, CASE_1);
  await fundCase(api, caseId, 10_000_00);
  const line = await plan(caseId, { payee: surrogate });
  const fields = { case_id: caseId, scheduled_payment_id: line };
  const { id: others } = await draft(manager, { ...fields, ...payee(surrogate, 'surrogate') });
  const { id: own } = await draft(surrogate, fields);
  await move(surrogate, own, 'submit');
  const late = await manager.post(`/api/disbursements/${others}/submit`);
  assert.deepEqual([late.status, late.body.code], [409, 'already_requested']);
  assert.deepEqual([(await ask(surrogate, caseId, line)).body.code], ['already_requested']);
  assert.equal((await decide(parent, own, 'deny', { reason: 'Not now' })).status, 200);
  assert.equal((await move(manager, others, 'submit')).status, 'submitted');
  await move(manager, others, 'cancel');
  const paid = await bringTo(api, { maker: surrogate, checker: parent }, 'paid', fields);
  assert.ok(paid > 0);
  assert.equal((await ask(surrogate, caseId, line)).body.code, 'not_planned');
});

test('[PLAN-4] a request in each state either claims its scheduled payment, or leaves it to the next request', async () => {
  const categories: string[] = [];
  for (const status of DISBURSEMENT_STATUSES) {
    const case_id = await copyCase(api, CASE_1);
    await fundCase(api, case_id, 10_000_00);
    const fields = { case_id, scheduled_payment_id: await plan(case_id, { payee: surrogate }) };
    await bringTo(api, { maker: surrogate, checker: parent }, status, fields);
    const next = await ask(surrogate, case_id, fields.scheduled_payment_id);
    const answer = next.status === 201 ? await surrogate.post(`/api/disbursements/${next.body.id}/submit`) : next;
    if (answer.status === 200) categories.push(status);
    else assert.equal(answer.status, 409, status);
  }
  assert.deepEqual(categories, ['draft', 'denied', 'returned', 'cancelled', 'ended']);
});

test('[PLAN-4] of two requests that claim a scheduled payment at once, one is submitted; the table rejects a second by itself', async () => {
  const caseId = await copyCase(api, CASE_1);
  const line = await plan(caseId, { payee: surrogate });
  const fields = { case_id: caseId, scheduled_payment_id: line };
  const drafts = [await draft(surrogate, fields), await draft(surrogate, fields)];
  const answers = await Promise.all(drafts.map(({ id }) => surrogate.post(`/api/disbursements/${id}/submit`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const second = api.pool.query(
    `update disbursement_request set status = 'submitted', submitted_at = now(), submitted_by = created_by
      where case_id = $1 and status = 'draft'`,
    [caseId],
  );
  await assert.rejects(second, { constraint: 'disbursement_request_scheduled_payment_idx' });
});

test('[PLAN-5] a request for less than its scheduled payment leaves the rest planned until it is paid', async () => {
  const caseId = await copyCase(api, CASE_1);
  await fundCase(api, caseId, 10_000_00);
  const line = await plan(caseId, { payee: surrogate });
  const planned = async () => {
    const { data } = (await parent.get(`/api/cases/${caseId}/projection`)).body;
    return data.reduce((sum: number, month: { planned_cents: number }) => sum + month.planned_cents, 0);
  };
  const people = { maker: surrogate, checker: parent };
  const fields = { case_id: caseId, scheduled_payment_id: line, amount_cents: 1 };
  const id = await bringTo(api, people, 'submitted', fields);
  assert.equal(await planned(), 4_500_00, 'what is only asked for is still planned');
  await move(parent, id, 'approve');
  assert.equal(await planned(), 4_499_99);
  const more = await plan(caseId, { payee: surrogate, amount_cents: 100 });
  await bringTo(api, people, 'approved', { ...fields, scheduled_payment_id: more, amount_cents: 250 });
  assert.equal(await planned(), 4_499_99, 'a request for more than its line takes nothing from other lines');
});
