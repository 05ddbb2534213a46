import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISBURSEMENT_STATUSES } from '@case-platform/modules/disbursements';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { bringTo, draft, fundCase } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { startAdmin } from '../start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
const [root, viewer] = await Promise.all([admin.as('root'), admin.as('viewer')]);
const [surrogate, parent] = await Promise.all([api.as('surrogate'), api.as('parent')]);
assert.ok(root && viewer);
await fundCase(api, CASE_1, 100_000_000);
const STATUSES = ['intake', 'pending_funding', 'active', 'on_hold', 'closing', 'closed', 'cancelled'];
const OPEN = ['intake', 'pending_funding', 'active', 'on_hold'];
const ENDS = ['closing', 'closed', 'cancelled'];

const setStatus = (caseId: number, status: string) =>
  api.pool.query('update case_file set status = $2 where id = $1', [caseId, status]);
const statusOf = async (caseId: number) =>
  (await api.pool.query('select status from case_file where id = $1', [caseId])).rows[0].status as string;
const moves = async (caseId: number) =>
  (
    await api.pool.query(
      "select count(*)::int as n from audit_entry where action = 'case.change_status' and case_id = $1",
      [caseId],
    )
  ).rows[0].n as number;

/** The table, decided by hand. */
function isPossible(route: 'status' | 'close', from: string, to: string): boolean {
  if (from === to) return true;
  if (route === 'status') return OPEN.includes(from) && OPEN.includes(to);
  if (to === 'active') return ENDS.includes(from);
  if (OPEN.includes(from)) return ENDS.includes(to);
  return from === 'closing' && (to === 'closed' || to === 'cancelled');
}

for (const from of STATUSES) {
  test(`[decisions 8] every move of a case from ${from}, and every one that is refused`, async () => {
    for (const route of ['status', 'close'] as const)
      for (const to of STATUSES) {
        await setStatus(CASE_2, from);
        const before = await moves(CASE_2);
        const answer = await root.post(`/cases/${CASE_2}/${route}`, { status: to });
        const known = (route === 'status' ? OPEN : [...ENDS, 'active']).includes(to);
        const wanted = !known ? 422 : isPossible(route, from, to) ? 303 : 409;
        assert.equal(answer.status, wanted, `${route}: ${from} to ${to}`);
        assert.equal(await statusOf(CASE_2), wanted === 303 ? to : from, `${route}: ${from} to ${to}`);
        assert.equal((await moves(CASE_2)) - before, wanted === 303 && from !== to ? 1 : 0);
      }
    await setStatus(CASE_2, 'active');
  });
}

test('[decisions 8] close_case alone neither works on an open case, nor does edit_case_details end one', async () => {
  const id = (
    await api.pool.query("select id, admin_role_id from user_account where email_address = 'viewer@demo.test'")
  ).rows[0];
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

test('[decisions 8] a case ends while requests are drafts or over, and not while one is under way', async () => {
  for (const state of DISBURSEMENT_STATUSES) {
    const id = await bringTo(api, { maker: surrogate, checker: parent }, state);
    const isUnderWay = ['submitted', 'approved', 'batched'].includes(state);
    for (const end of ['closed', 'cancelled']) {
      const answer = await root.post(`/cases/${CASE_1}/close`, { status: end });
      assert.equal(answer.status, isUnderWay ? 409 : 303, `${state}: ${end}`);
      if (isUnderWay) assert.match(answer.text, /has open requests/);
      assert.equal((await root.post(`/cases/${CASE_1}/close`, { status: 'closing' })).status, isUnderWay ? 303 : 409);
      await setStatus(CASE_1, 'active');
    }
    await api.pool.query("update disbursement_request set status = 'cancelled' where id = $1", [id]);
  }
});

test('[decisions 8] closing and sending a request at the same time: one of them, never both', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { id } = await draft(surrogate);
    const [closed, sent] = await Promise.all([
      root.post(`/cases/${CASE_1}/close`, { status: 'closed' }),
      surrogate.post(`/api/disbursements/${id}/submit`),
    ]);
    const now = (await surrogate.get(`/api/disbursements/${id}`)).body.status;
    const after = [closed.status, sent.status, await statusOf(CASE_1), now].join();
    assert.ok(['303,409,closed,draft', '409,200,active,submitted'].includes(after), after);
    await setStatus(CASE_1, 'active');
    assert.equal((await surrogate.post(`/api/disbursements/${id}/cancel`)).status, 200);
  }
});

test('[decisions 8] of ten who close a case at once, each finds it closed, and the audit log has it once', async () => {
  const before = await moves(CASE_2);
  const all = await Promise.all(
    Array.from({ length: 10 }, () => root.post(`/cases/${CASE_2}/close`, { status: 'closed' })),
  );
  assert.ok(all.every(({ status }) => status === 303));
  assert.equal((await moves(CASE_2)) - before, 1);
  await setStatus(CASE_2, 'active');
});

test('[decisions 9] what was planned in a case that has ended is no longer due, and is again when it is reopened', async () => {
  const line = { category: 'Allowance', description: 'Month of the end', amount: '1', due_date: '2027-01-01' };
  assert.equal((await root.post(`/cases/${CASE_2}/scheduled-payments`, line)).status, 303);
  const isDue = async () => (await root.get('/payments')).text.includes('Month of the end');
  assert.equal(await isDue(), true);
  // What the list passes by without asking for the case.
  const marks = async () =>
    (await api.pool.query('select distinct case_ended from scheduled_payment where case_id = $1', [CASE_2])).rows;
  assert.deepEqual(await marks(), [{ case_ended: false }]);
  assert.equal((await root.post(`/cases/${CASE_2}/close`, { status: 'closed' })).status, 303);
  assert.equal(await isDue(), false);
  assert.deepEqual(await marks(), [{ case_ended: true }]);
  // Whatever has written it, and without the mark.
  const add = `insert into scheduled_payment (case_id, category, description, due_date, amount_cents)
               values ($1, 'Allowance', 'Month after the end', '2027-01-02', 100)`;
  await api.pool.query(add, [CASE_2]);
  assert.doesNotMatch((await root.get('/payments')).text, /Month after the end/);
  assert.equal((await root.post(`/cases/${CASE_2}/close`, { status: 'active' })).status, 303);
  assert.equal(await isDue(), true);
  assert.match((await root.get('/payments')).text, /Month after the end/);
  assert.deepEqual(await marks(), [{ case_ended: false }]);
});
