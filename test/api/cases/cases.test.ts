import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { findActiveUser } from '@case-platform/modules/accounts';
import { addMilestone, addScheduledPayment, cancelScheduledPayment } from '@case-platform/modules/cases';
import { CASE_1, CASE_2, CASE_3 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { grant } from '../../support/grant.ts';
import { bringTo, draft, fundCase, move } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';

const api = await startApi();
await grant(api.pool, 'viewer', 'view_messages', 'create_drs');
await fundCase(api, CASE_1, 1_000_000);
const { surrogate, parent, manager, owner, rep, escrow, finance, viewer, root, bothSurrogate: stranger } = await api.everyone();
const specialist = await findActiveUser(api.db, { email_address: 'escrow@demo.test', user_type: 'admin' });
assert.ok(specialist);
const by = { actor: specialist, origin: SYSTEM };
const context = { db: api.db, now: () => new Date() };
const FOREIGN_PATHS = ['', '/messages', '/disbursements', '/scheduled-payments'];

describe('a case', () => {
  test('[CASE-4] a case has its people, milestones, escrow specialist, approver, and balance', async () => {
    await addMilestone(context, CASE_1, { kind: 'matched', happened_on: '2026-01-10', note: 'Met' }, by);
    await addMilestone(context, CASE_1, { kind: 'embryo_transfer', happened_on: '2026-03-01' }, by);
    const { status, body } = await parent.get(`/api/cases/${CASE_1}`);
    assert.equal(status, 200);
    assert.deepEqual([body.id, body.name, body.status, body.agency_name], [CASE_1, 'Case 1', 'active', 'Fernhill Surrogacy']);
    assert.deepEqual(body.escrow_specialist, { user_type: 'admin', user_id: escrow.userId, name: 'Elena Marsh' });
    assert.deepEqual(body.approver, { user_type: 'intended_parent', user_id: parent.userId, name: 'Paige Whitlock' });
    const types = body.people.map(({ user_type }: { user_type: string }) => user_type).sort();
    const expected = ['agency_owner', 'case_manager', 'intended_parent', 'intended_parent', 'ip_company', 'surrogate'];
    assert.deepEqual(types, expected);
    const kinds = body.milestones.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds, ['embryo_transfer', 'matched']);
    assert.deepEqual([body.milestones[1].happened_on, body.milestones[1].note], ['2026-01-10', 'Met']);
  });

  test('[FUNDS-4] the balance adds up, and is not for surrogates', async () => {
    const both = { maker: surrogate, checker: parent };
    const case_id = await copyCase(api, CASE_1);
    await fundCase(api, case_id, 1_000_000);
    await bringTo(api, both, 'approved', { case_id, amount_cents: 100 });
    await bringTo(api, both, 'paid', { case_id, amount_cents: 250 });
    const { balance } = (await parent.get(`/api/cases/${case_id}`)).body;
    assert.deepEqual(balance, { funded_cents: 1_000_000, held_cents: 100, paid_cents: 250, available_cents: 999_650 });
    for (const who of [manager, owner, rep, escrow, root]) {
      assert.deepEqual((await who.get(`/api/cases/${case_id}`)).body.balance, balance);
    }
    assert.equal((await surrogate.get(`/api/cases/${case_id}`)).body.balance, null);
  });

  test('[ERROR-2, CASE-1] to everyone else it does not exist', async () => {
    for (const path of FOREIGN_PATHS) {
      assert.equal((await api.anonymous.get(`/api/cases/${CASE_1}${path}`)).status, 401, path);
      assert.equal((await parent.get(`/api/cases/${CASE_1}${path}`)).status, 200, path);
      for (const who of [stranger, viewer]) assert.equal((await who.get(`/api/cases/${CASE_1}${path}`)).status, 404, path);
      for (const id of [CASE_2, CASE_3, 999_999]) assert.equal((await parent.get(`/api/cases/${id}${path}`)).status, 404);
      for (const id of ['x', '0', '-1', '1.5', '9007199254740993'])
        assert.equal((await parent.get(`/api/cases/${id}${path}`)).status, 422, `${id}${path}`);
    }
    assert.equal((await finance.get(`/api/cases/${CASE_1}`)).status, 404, 'view_drs does not open the case');
  });

  test('[CHAIN-2] its messages are the conversations that the caller sees, of this case', async () => {
    const start = async (who: typeof parent) =>
      (await who.form('/api/messages', { message: 'x', case_id: String(CASE_1) })).body.chain;
    const [mine, theirs] = [await start(parent), await start(surrogate)];
    await stranger.form('/api/messages', { message: 'x', case_id: String(CASE_2) });
    const ids = async (who: typeof parent) =>
      (await who.get(`/api/cases/${CASE_1}/messages?limit=100`)).body.data.map(({ id }: { id: number }) => id);
    assert.deepEqual(await ids(parent), [mine.id]);
    assert.deepEqual(await ids(surrogate), [theirs.id]);
    assert.deepEqual(await ids(escrow), [theirs.id, mine.id]);
    const [same] = (await parent.get(`/api/cases/${CASE_1}/messages`)).body.data;
    assert.deepEqual(same, (await parent.get(`/api/messages/${mine.id}`)).body.chain);
    const first = (await escrow.get(`/api/cases/${CASE_1}/messages?limit=1`)).body;
    const second = (await escrow.get(`/api/cases/${CASE_1}/messages?limit=1&cursor=${first.next_cursor}`)).body;
    assert.deepEqual([first.data[0].id, second.data[0].id, second.next_cursor], [theirs.id, mine.id, null]);
  });
});

describe('milestones', () => {
  test('[CASE-8] future days, amounts without a pregnancy, and repetitions are rejected', async () => {
    const add = (milestone: object) =>
      addMilestone(context, CASE_2, { kind: 'birth', happened_on: '2026-02-01', ...milestone }, by);
    for (const milestone of [
      { happened_on: '2099-01-01' },
      { happened_on: '2026-02-30' },
      { happened_on: 'soon' },
      { funding_required_cents: 100 },
      { kind: 'pregnancy_confirmed' as const, funding_required_cents: 0 },
      { note: 'x'.repeat(2001) },
    ])
      await assert.rejects(add(milestone), { status: 422 }, JSON.stringify(milestone));
    await add({});
    await assert.rejects(add({}), { code: 'milestone_exists' });
    await assert.rejects(addMilestone(context, 999_999, { kind: 'birth', happened_on: '2026-02-01' }, by), {
      status: 404,
    });
    const { rows } = await api.pool.query(
      "select action, case_id from audit_entry where action = 'case.add_milestone' and case_id = $1",
      [CASE_2],
    );
    assert.equal(rows.length, 1);
  });
});

describe('scheduled payments', () => {
  const plan = (fields: object = {}, caseId = CASE_1) =>
    addScheduledPayment(
      api.db,
      caseId,
      {
        category: 'Monthly allowance',
        description: 'Month 1',
        due_date: '2026-12-01',
        amount_cents: 30_000,
        payee_id: surrogate.userId,
        ...fields,
      },
      by,
    );

  test('[PLAN-1] the calendar of a case comes by due date, in pages, and by category', async () => {
    const caseId = await copyCase(api, CASE_1);
    const late = await plan({ due_date: '2027-01-01' }, caseId);
    const early = await plan({ due_date: '2026-11-01', category: 'Insurance' }, caseId);
    const middle = await plan({}, caseId);
    const path = `/api/cases/${caseId}/scheduled-payments`;
    const { data } = (await surrogate.get(path)).body;
    const ids = data.map(({ id }: { id: number }) => id);
    assert.deepEqual(ids, [early.id, middle.id, late.id]);
    assert.deepEqual(data[1], {
      id: middle.id,
      case_id: caseId,
      category: 'Monthly allowance',
      description: 'Month 1',
      due_date: '2026-12-01',
      amount_cents: 30_000,
      status: 'planned',
      disbursement_id: null,
      paid_at: null,
      payee: { user_type: 'surrogate', user_id: surrogate.userId, name: 'Sarah Lindgren' },
      whereabouts: null,
    });
    const first = (await parent.get(`${path}?limit=2`)).body;
    const second = (await parent.get(`${path}?limit=2&cursor=${first.next_cursor}`)).body;
    assert.deepEqual([...first.data, ...second.data], data);
    assert.equal((await parent.get(`${path}?category=Insurance`)).body.data.length, 1);
    assert.equal((await finance.get(path)).status, 404, 'view_drs');
    for (const query of ['limit=0', 'cursor=x', 'cursor=MjAyNi0wMi0zMDox'])
      assert.equal((await parent.get(`${path}?${query}`)).status, 422, query);
  });

  test('[PLAN-1] the request that pays a line is named there; when it is paid, so is the line, and a return opens it', async () => {
    const { id } = await plan({ category: 'Clothing' });
    const find = async () => {
      const { data } = (await surrogate.get(`/api/cases/${CASE_1}/scheduled-payments?category=Clothing`)).body;
      return data.map((line: { status: string; disbursement_id: number }) => [line.status, line.disbursement_id])[0];
    };
    const both = { maker: surrogate, checker: parent };
    const cancelled = await bringTo(api, both, 'cancelled', { scheduled_payment_id: id });
    assert.deepEqual(await find(), ['planned', null], 'a cancelled request pays nothing');
    assert.ok(cancelled > 0);
    const { id: first } = await draft(surrogate, { scheduled_payment_id: id });
    const { id: second } = await draft(surrogate, { scheduled_payment_id: id });
    assert.deepEqual(await find(), ['planned', null], 'a draft claims nothing');
    await move(surrogate, first, 'submit');
    assert.deepEqual(await find(), ['requested', first]);
    assert.equal((await surrogate.post(`/api/disbursements/${second}/submit`)).body.code, 'already_requested');
    const again = { amount_cents: 1, category: 'Clothing', description: 'x', scheduled_payment_id: id };
    assert.equal((await surrogate.post(`/api/cases/${CASE_1}/disbursements`, again)).body.code, 'already_requested');
    await assert.rejects(cancelScheduledPayment(api.db, CASE_1, id, by), { code: 'already_requested' });
    await surrogate.post(`/api/disbursements/${first}/cancel`);
    const paid = await bringTo(api, both, 'paid', { scheduled_payment_id: id });
    assert.deepEqual(await find(), ['paid', paid]);
    assert.equal((await surrogate.post(`/api/cases/${CASE_1}/disbursements`, again)).body.code, 'not_planned');
  });

  test('[PLAN-1, RETURN-1] a returned payment opens its line again', async () => {
    const { id } = await plan({ category: 'Food' });
    await bringTo(api, { maker: surrogate, checker: parent }, 'returned', { scheduled_payment_id: id });
    const { data } = (await parent.get(`/api/cases/${CASE_1}/scheduled-payments?category=Food`)).body;
    assert.deepEqual([data[0].status, data[0].paid_at, data[0].disbursement_id], ['planned', null, null]);
    await cancelScheduledPayment(api.db, CASE_1, id, by);
    await assert.rejects(cancelScheduledPayment(api.db, CASE_1, id, by), { code: 'not_planned' });
    await assert.rejects(cancelScheduledPayment(api.db, CASE_2, id, by), { status: 404 });
  });

  test('[PLAN-2] what cannot be planned is rejected', async () => {
    for (const fields of [
      { category: ' ' },
      { category: 'Childc\u0430re' },
      { amount_cents: 0 },
      { amount_cents: 0.5 },
      { amount_cents: 10_000_000_000 },
      { due_date: '2026-02-30' },
      { payee_id: stranger.userId },
      { description: 'x'.repeat(2001) },
    ])
      await assert.rejects(plan(fields), { status: 422 }, JSON.stringify(fields));
  });
});
