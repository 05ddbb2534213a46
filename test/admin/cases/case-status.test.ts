import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { findActiveUser } from '@case-platform/modules/accounts';
import { DISBURSEMENT_STATUSES, type DisbursementStatus } from '@case-platform/modules/disbursements';
import {
  confirmCashEntry,
  findCaseBalance,
  listCaseCashEntries,
  recordCashEntry,
  refuseCashEntry,
} from '@case-platform/modules/ledger';
import { moneyWords } from '@case-platform/words/money';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { bringTo, draft, fundCase, moveCash } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { startAdmin } from '../start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
const [root, viewer] = await admin.people('root', 'viewer');
const { surrogate, parent } = await api.everyone();
assert.ok(root && viewer);
const STATUSES = ['intake', 'pending_funding', 'active', 'on_hold', 'closing', 'closed', 'cancelled'];
const OPEN = ['intake', 'pending_funding', 'active', 'on_hold'];
const ENDS = ['closing', 'closed', 'cancelled'];

const setStatus = (caseId: number, status: string) =>
  api.pool.query('update case_file set status = $2 where id = $1', [caseId, status]);
const statusOf = async (caseId: number) =>
  (await api.pool.query('select status from case_file where id = $1', [caseId])).rows[0].status as string;
const moves = async (caseId: number) =>
  (
    await api.pool.query("select count(*)::int as n from audit_entry where action = 'case.change_status' and case_id = $1", [
      caseId,
    ])
  ).rows[0].n as number;

/** The moves that CASE-5 allows, written independently of the code. */
function isPossible(route: 'status' | 'close', from: string, to: string): boolean {
  if (from === to) return true;
  if (route === 'status') return OPEN.includes(from) && OPEN.includes(to);
  if (to === 'active') return ENDS.includes(from);
  if (OPEN.includes(from)) return ENDS.includes(to);
  return from === 'closing' && (to === 'closed' || to === 'cancelled');
}

for (const from of STATUSES) {
  test(`[CASE-5] every move of a case from ${from}, and every one that is rejected`, async () => {
    for (const route of ['status', 'close'] as const)
      for (const to of STATUSES) {
        await setStatus(CASE_2, from);
        const before = await moves(CASE_2);
        const answer = await root.post(`/cases/${CASE_2}/${route}`, { status: to });
        const isAccepted = (route === 'status' ? OPEN : [...ENDS, 'active']).includes(to);
        const wanted = !isAccepted ? 422 : isPossible(route, from, to) ? 303 : 409;
        assert.equal(answer.status, wanted, `${route}: ${from} to ${to}`);
        assert.equal(await statusOf(CASE_2), wanted === 303 ? to : from, `${route}: ${from} to ${to}`);
        assert.equal((await moves(CASE_2)) - before, wanted === 303 && from !== to ? 1 : 0);
      }
    await setStatus(CASE_2, 'active');
  });
}

test('[CASE-5] close_case is not enough to move an open case, and edit_case_details is not enough to end one', async () => {
  const id = (await api.pool.query("select id, admin_role_id from user_account where email_address = 'viewer@demo.test'"))
    .rows[0];
  await api.pool.query('insert into case_admin (case_id, user_id) values ($1, $2)', [CASE_2, id.id]);
  const grant = (permission: string) =>
    api.pool.query('insert into admin_role_permission (admin_role_id, permission) values ($1, $2)', [
      id.admin_role_id,
      permission,
    ]);
  await setStatus(CASE_2, 'on_hold');
  await grant('close_case');
  assert.equal((await viewer.post(`/cases/${CASE_2}/status`, { status: 'active' })).status, 403);
  assert.equal((await viewer.post(`/cases/${CASE_2}/close`, { status: 'active' })).status, 409);
  assert.equal((await viewer.post(`/cases/${CASE_2}/close`, { status: 'closing' })).status, 303);
  await api.pool.query("delete from admin_role_permission where admin_role_id = $1 and permission = 'close_case'", [
    id.admin_role_id,
  ]);
  await grant('edit_case_details');
  assert.equal((await viewer.post(`/cases/${CASE_2}/close`, { status: 'closed' })).status, 403);
  assert.equal((await viewer.post(`/cases/${CASE_2}/status`, { status: 'active' })).status, 409);
  await setStatus(CASE_2, 'active');
});

/** Refunds all available money of a case to the parents. */
async function refundAll(case_id: number): Promise<void> {
  const { available_cents } = await findCaseBalance(api.db, case_id);
  if (available_cents > 0) await moveCash(api, case_id, { kind: 'refund', amount_cents: available_cents, memo: '' });
}

/** The message that names what keeps a case open, by the state of its request. */
const OPEN_REQUESTS: Partial<Record<DisbursementStatus, RegExp>> = {
  submitted: /1 request is waiting for approval \(\$125\.00\)/,
  approved: /1 approved request isn’t paid yet \(\$125\.00\)/,
  batched: /1 payment is on the way to the bank \(\$125\.00\)/,
};

test('[CASE-6] a case is closed or cancelled once its requests are over and its money is refunded', async () => {
  for (const state of DISBURSEMENT_STATUSES) {
    const case_id = await copyCase(api, CASE_1);
    await fundCase(api, case_id, 200_00);
    await bringTo(api, { maker: surrogate, checker: parent }, state, { case_id });
    const path = `/cases/${case_id}`;
    const message = `The case still has ${moneyWords((await findCaseBalance(api.db, case_id)).available_cents)}.`;
    for (const open of [message, ...(OPEN_REQUESTS[state] === undefined ? [] : [OPEN_REQUESTS[state]])]) {
      for (const status of ['closed', 'cancelled']) {
        const answer = await root.post(`${path}/close`, { status });
        assert.equal(answer.status, 409, `${state}: ${status}`);
        assert.ok(typeof open === 'string' ? answer.text.includes(open) : open.test(answer.text), `${state}: ${open}`);
      }
      const page = (await root.get(`${path}/edit`)).text;
      assert.ok(typeof open === 'string' ? page.includes(open) : open.test(page), `before: ${state}: ${open}`);
      await refundAll(case_id);
    }
    const isOver = OPEN_REQUESTS[state] === undefined;
    for (const status of ['closed', 'cancelled']) {
      assert.equal((await root.post(`${path}/close`, { status })).status, isOver ? 303 : 409, `${state}: ${status}`);
      await setStatus(case_id, 'active');
    }
    const isShown = (await root.get(`${path}/edit`)).text.includes('Finish this before you close');
    assert.equal(isShown, !isOver, state);
  }
});

test('[CASE-6, CASE-7] a waiting deposit or refund keeps its case open, and a closed case takes no deposit', async () => {
  const case_id = await copyCase(api, CASE_1);
  await fundCase(api, case_id, 50_00);
  const actor = await findActiveUser(api.db, { email_address: 'root@demo.test', user_type: 'admin' });
  assert.ok(actor);
  const by = { actor, origin: SYSTEM };
  const close = () => root.post(`/cases/${case_id}/close`, { status: 'closed' });
  for (const kind of ['refund', 'deposit'] as const) {
    await recordCashEntry(api.db, case_id, { kind, amount_cents: 50_00, memo: '' }, by);
    const refused = await close();
    assert.equal(refused.status, 409);
    assert.match(refused.text, new RegExp(`1 ${kind} is waiting to be confirmed \\(\\$50\\.00\\)`));
    const [waiting] = await listCaseCashEntries(api.db, actor, case_id);
    assert.ok(waiting);
    if (kind === 'refund') await confirmCashEntry(api.db, waiting, { ...by, actor: await secondAdmin() });
    else {
      await setStatus(case_id, 'closed');
      const late = confirmCashEntry(api.db, waiting, { ...by, actor: await secondAdmin() });
      await assert.rejects(late, { code: 'case_closed' });
      await setStatus(case_id, 'active');
      await refuseCashEntry(api.db, { ...waiting, reason: 'Not ours' }, by);
    }
  }
  assert.equal((await close()).status, 303);
  const deposit = recordCashEntry(api.db, case_id, { kind: 'deposit', amount_cents: 1, memo: '' }, by);
  await assert.rejects(deposit, { code: 'case_closed' });
});

async function secondAdmin() {
  const user = await findActiveUser(api.db, { email_address: 'totp-admin@demo.test', user_type: 'admin' });
  assert.ok(user);
  return user;
}

test('[CASE-6] of closing a case and submitting a request or confirming a deposit at the same time, one succeeds', async () => {
  const case_id = await copyCase(api, CASE_1);
  for (let round = 0; round < 8; round += 1) {
    const { id } = await draft(surrogate, { case_id });
    const [closed, sent] = await Promise.all([
      root.post(`/cases/${case_id}/close`, { status: 'closed' }),
      surrogate.post(`/api/disbursements/${id}/submit`),
    ]);
    const now = (await surrogate.get(`/api/disbursements/${id}`)).body.status;
    const after = [closed.status, sent.status, await statusOf(case_id), now].join();
    assert.ok(['303,409,closed,draft', '409,200,active,submitted'].includes(after), after);
    await setStatus(case_id, 'active');
    assert.equal((await surrogate.post(`/api/disbursements/${id}/cancel`)).status, 200);
  }
  for (let round = 0; round < 4; round += 1) {
    const [closed, paidIn] = await Promise.allSettled([
      root.post(`/cases/${case_id}/close`, { status: 'closed' }),
      fundCase(api, case_id, 100),
    ]);
    const { available_cents } = await findCaseBalance(api.db, case_id);
    assert.ok(!((await statusOf(case_id)) === 'closed' && available_cents > 0), `${closed.status} ${paidIn.status}`);
    await setStatus(case_id, 'active');
    const waiting = await listCaseCashEntries(api.db, await secondAdmin(), case_id);
    for (const one of waiting.filter(({ status }) => status === 'waiting'))
      await refuseCashEntry(api.db, { ...one, reason: 'Closed' }, { actor: await secondAdmin(), origin: SYSTEM });
    await refundAll(case_id);
  }
});

test('[CASE-6] ten people who close a case at once all find it closed, and the audit log has one entry', async () => {
  const before = await moves(CASE_2);
  const all = await Promise.all(Array.from({ length: 10 }, () => root.post(`/cases/${CASE_2}/close`, { status: 'closed' })));
  assert.ok(all.every(({ status }) => status === 303));
  assert.equal((await moves(CASE_2)) - before, 1);
  await setStatus(CASE_2, 'active');
});

for (const ended of ['closed', 'cancelled'])
  test(`[CASE-7] planned payments of a case that is ${ended} are no longer due, and are due again when it is reopened`, async () => {
    const line = { category: 'Allowance', description: `Month when ${ended}`, amount: '1', due_date: '2027-01-01' };
    assert.equal((await root.post(`/cases/${CASE_2}/scheduled-payments`, line)).status, 303);
    const isDue = async () => (await root.get('/payments')).text.includes(line.description);
    assert.equal(await isDue(), true);
    // The list filters by this mark, so it need not look up the case.
    const marks = async () =>
      (await api.pool.query('select distinct case_ended from scheduled_payment where case_id = $1', [CASE_2])).rows;
    assert.deepEqual(await marks(), [{ case_ended: false }]);
    assert.equal((await root.post(`/cases/${CASE_2}/close`, { status: ended })).status, 303);
    assert.equal(await isDue(), false);
    assert.deepEqual(await marks(), [{ case_ended: true }]);
    // A row that is inserted directly, without the mark, is not due either.
    const late = `Month after it was ${ended}`;
    const add = `insert into scheduled_payment (case_id, category, description, due_date, amount_cents)
                 values ($1, 'Allowance', $2, '2027-01-02', 100)`;
    await api.pool.query(add, [CASE_2, late]);
    assert.ok(!(await root.get('/payments')).text.includes(late));
    assert.equal((await root.post(`/cases/${CASE_2}/close`, { status: 'active' })).status, 303);
    assert.equal(await isDue(), true);
    assert.ok((await root.get('/payments')).text.includes(late));
    assert.deepEqual(await marks(), [{ case_ended: false }]);
  });
