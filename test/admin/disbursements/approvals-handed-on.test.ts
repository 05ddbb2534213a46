import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { EmailProvider } from '@case-platform/modules/notifications';
import { CASE_1 } from '../../support/cast.ts';
import { bringTo, decide, draft, fundCase, move } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { inOpenTransaction, untilWaiting } from '../../support/run-overlapping.ts';
import { startAdmin } from '../start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
const root = await admin.as('root');
await fundCase(api, CASE_1, 100_000_000);
const { surrogate, parent, parent2, manager, rep } = await api.everyone();
const idOf = async (email: string) =>
  (await api.pool.query('select id::int from user_account where email_address = $1 order by id limit 1', [email])).rows[0]
    .id as number;
const [escrowId, financeId, rootId] = await Promise.all(['escrow@demo.test', 'finance@demo.test', 'root@demo.test'].map(idOf));

/** Gives these people's roles `approve_drs` for the rest of the file. In the cast only administrators have it. */
const mayApprove = (...userIds: (number | undefined)[]) =>
  api.pool.query(
    `insert into admin_role_permission
     select admin_role_id, 'approve_drs' from user_account where id = any($1) on conflict do nothing`,
    [userIds],
  );
const form = { name: 'Case 1', agency_id: '1', close_due_on: '' };
const setApprover = (userId: number | undefined) => root.post(`/cases/${CASE_1}`, { ...form, approver_id: String(userId) });

const sent: { to: string; subject: string }[] = [];
const email: EmailProvider = { name: 'mailpit', send: async (mail) => `mail-${sent.push(mail)}` };
const mails = async () => {
  await api.work({ email });
  return sent.splice(0);
};
const asked = async () =>
  (await mails()).filter(({ subject }) => subject === 'A request is waiting for your approval').map(({ to }) => to);
const approverOf = async (id: number) => (await surrogate.get(`/api/disbursements/${id}`)).body.approver?.user_id;
const handedOn = async (id: number) =>
  (
    await api.pool.query(
      `select actor_id::int as by, (before->>'approver_id')::int as "from", (after->>'approver_id')::int as "to"
         from audit_entry where action = 'disbursement.hand_on' and subject_id = $1 order by id`,
      [id],
    )
  ).rows;

const leave = (userId: number) => root.post(`/cases/${CASE_1}/people/${userId}/remove`);
const join = (email_address: string, user_type: string) => root.post(`/cases/${CASE_1}/people`, { email_address, user_type });

/** Before each test, everyone is active and on the case, no approver is set, only payees set accounts, and nothing waits. */
beforeEach(async () => {
  await api.pool.query("update user_account set status = 'active' where status = 'deactivated'");
  await api.pool.query("update disbursement_request set status = 'cancelled' where status = 'submitted'");
  await api.pool.query('update payee_bank_account set created_by = user_id');
  await api.pool.query('update case_participant set left_at = null where case_id = $1', [CASE_1]);
  await api.pool.query('update case_file set approver_id = null, escrow_specialist_id = $2 where id = $1', [CASE_1, escrowId]);
  await mails();
});

describe('[APPROVER-3] the approver leaves the case', () => {
  test('[APPROVER-3] their requests wait for the next parent, who gets a mail; the audit log says by whom', async () => {
    const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    assert.deepEqual(await asked(), ['parent@demo.test']);
    assert.equal((await leave(parent.userId)).status, 303);
    assert.equal(await approverOf(id), parent2.userId);
    assert.deepEqual(await asked(), ['parent2@demo.test']);
    assert.deepEqual(await handedOn(id), [{ by: rootId, from: parent.userId, to: parent2.userId }]);
    assert.match((await root.get(`/disbursements/${id}`)).text, /Passed to another approver/);
    assert.equal((await decide(parent, id, 'approve')).status, 404);
    assert.equal((await move(parent2, id, 'approve')).status, 'approved');
  });

  test('[APPROVER-1, APPROVER-3] without another parent, the admins who may approve get a mail, and one of them approves', async () => {
    const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    await leave(parent.userId);
    await mails();
    await leave(parent2.userId);
    assert.equal(await approverOf(id), undefined);
    assert.deepEqual((await asked()).sort(), ['root@demo.test', 'totp-admin@demo.test']);
    assert.match((await surrogate.get(`/api/disbursements/${id}`)).body.waiting_for, /our staff to approve it/);
    assert.equal((await root.fill(await root.get(`/disbursements/${id}`), `/disbursements/${id}/approve`)).status, 303);
  });

  test('[BANK-6, APPROVER-3] an approver who sets the payee’s bank account no longer decides, and someone else is notified', async () => {
    await api.pool.query('update case_file set approver_id = $2 where id = $1', [CASE_1, rootId]);
    const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    assert.equal(await approverOf(id), rootId);
    await mails();
    const path = `/bank-accounts/${surrogate.userId}`;
    const account = { holder_name: 'Sam Surrogate', routing_number: '091000019', account_number: '9876501234' };
    assert.equal((await root.fill(await root.get(path), path, { ...account, account_kind: 'checking' })).status, 303);
    assert.deepEqual(
      (await mails()).filter(({ subject }) => /approval/.test(subject)).map(({ to }) => to),
      ['parent@demo.test'],
    );
    assert.equal(await approverOf(id), parent.userId);
    assert.deepEqual(await handedOn(id), [{ by: null, from: rootId, to: parent.userId }]);
    assert.equal((await move(parent, id, 'approve')).status, 'approved');
  });

  test('[APPROVER-1] a request of the next parent skips its maker', async () => {
    const id = await bringTo(api, { maker: parent2, checker: parent }, 'submitted');
    await leave(parent.userId);
    assert.equal(await approverOf(id), undefined);
    assert.equal((await decide(parent2, id, 'approve')).status, 403);
  });

  test('[APPROVER-3] a draft, a decided request, and one that waits for someone else do not change', async () => {
    const untouched = [
      (await draft(surrogate)).id,
      await bringTo(api, { maker: surrogate, checker: parent }, 'approved'),
      await bringTo(api, { maker: surrogate, checker: parent }, 'denied'),
      await bringTo(api, { maker: parent, checker: parent2 }, 'submitted'),
    ];
    await mails();
    await leave(parent.userId);
    await leave(manager.userId);
    for (const id of untouched) assert.deepEqual(await handedOn(id), []);
    assert.deepEqual(await mails(), []);
    await join('manager@demo.test', 'cm');
  });

  test('[APPROVER-2, APPROVER-3] an admin set on the case who no longer sees it is replaced: off the team, or another escrow specialist', async () => {
    await root.post(`/cases/${CASE_1}/team`, { admin_id: String(financeId) });
    await mayApprove(financeId, escrowId);
    assert.equal((await setApprover(financeId)).status, 303);
    const one = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    assert.equal(await approverOf(one), financeId);
    assert.equal((await root.post(`/cases/${CASE_1}/team/${financeId}/remove`)).status, 303);
    assert.equal(await approverOf(one), parent.userId);
    await api.pool.query('update case_file set approver_id = null where id = $1', [CASE_1]);
    assert.equal((await setApprover(financeId)).status, 422, 'who does not see the case cannot be set');

    await api.pool.query('delete from case_admin where case_id = $1', [CASE_1]);
    assert.equal((await setApprover(escrowId)).status, 303);
    const other = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    assert.equal(await approverOf(other), escrowId);
    assert.equal((await root.post(`/cases/${CASE_1}/escrow-specialist`, { admin_id: '' })).status, 303);
    assert.equal(await approverOf(other), parent.userId);
    assert.deepEqual(await handedOn(other), [{ by: rootId, from: escrowId, to: parent.userId }]);
  });

  test('[APPROVER-3] when a representative set on the case leaves, the first parent approves, also after they return', async () => {
    assert.equal((await setApprover(rep.userId)).status, 303);
    const id = await bringTo(api, { maker: surrogate, checker: rep }, 'submitted');
    assert.equal(await approverOf(id), rep.userId);
    await leave(rep.userId);
    assert.equal(await approverOf(id), parent.userId);
    assert.equal((await join('rep@demo.test', 'ip_rep')).status, 303);
    const next = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    assert.equal(await approverOf(next), parent.userId, 'no one is set as approver');
  });

  test('[APPROVER-3] requests of a closed account go to the next approver, once, by a job', async () => {
    const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    await mails();
    assert.equal((await root.post(`/users/${parent.userId}/deactivate`)).status, 303);
    assert.deepEqual(await asked(), ['parent2@demo.test']);
    assert.equal(await approverOf(id), parent2.userId);
    assert.deepEqual(await handedOn(id), [{ by: null, from: parent.userId, to: parent2.userId }]);
    await api.pool.query("select graphile_worker.add_job('reassign_approvals', $1::json)", [
      JSON.stringify({ user_id: parent.userId }),
    ]);
    assert.deepEqual(await asked(), []);
  });
});

describe('[APPROVER-3] leaving and deciding at the same time', () => {
  test('[APPROVER-3] in ten rounds, a request was either approved before they left or waits for the next approver', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
      const [page, decided] = await Promise.all([leave(parent.userId), decide(parent, id, 'approve')]);
      assert.equal(page.status, 303);
      const { status, approver } = (await surrogate.get(`/api/disbursements/${id}`)).body;
      const outcome = [status, approver.user_id, (await handedOn(id)).length];
      const approved = ['approved', parent.userId, 0];
      // A person who left between the approval and its answer gets a 404, which does not say if the approval succeeded.
      if (decided.status === 200 || status === 'approved') assert.deepEqual(outcome, approved);
      else assert.deepEqual(outcome, ['submitted', parent2.userId, 1]);
      assert.ok([200, 404].includes(decided.status), `${decided.status}`);
      await api.pool.query('update case_participant set left_at = null where case_id = $1', [CASE_1]);
    }
  });

  test('[APPROVER-3] an approval by someone who left first is rejected', async () => {
    const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
    const decided = await whileHeld(
      `update case_participant set left_at = now() where case_id = ${CASE_1} and user_id = ${parent.userId}`,
      () => decide(parent, id, 'approve'),
    );
    assert.equal(decided.status, 404);
    assert.equal((await surrogate.get(`/api/disbursements/${id}`)).body.status, 'submitted');
  });

  test('[APPROVER-3] a request that is submitted while they leave goes to the next approver', async () => {
    const { id } = await draft(surrogate);
    const submitted = await whileHeld(
      `update case_participant set left_at = now() where case_id = ${CASE_1} and user_id = ${parent.userId}`,
      () => surrogate.post(`/api/disbursements/${id}/submit`),
    );
    assert.deepEqual([submitted.status, submitted.body.approver.user_id], [200, parent2.userId]);
  });

  test('[APPROVER-3] a request that is submitted while the account is closed goes to the next approver', async () => {
    const { id } = await draft(surrogate);
    const submitted = await whileHeld(`update user_account set status = 'deactivated' where id = ${parent.userId}`, () =>
      surrogate.post(`/api/disbursements/${id}/submit`),
    );
    assert.deepEqual([submitted.status, submitted.body.approver.user_id], [200, parent2.userId]);
  });
});

/** Makes a call while `statement` holds a lock that the call needs, and commits once the call waits. */
async function whileHeld<Answer>(statement: string, ask: () => Promise<Answer>): Promise<Answer> {
  return inOpenTransaction(api.pool, async (client) => {
    await client.query(
      `select from case_file where id = ${CASE_1} ${statement.includes('case_participant') ? 'for update' : ''}`,
    );
    await client.query(statement);
    const answer = ask();
    await untilWaiting(api.pool, [answer]);
    await client.query('commit');
    return answer;
  });
}
