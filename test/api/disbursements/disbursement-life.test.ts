import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DISBURSEMENT_STATUSES, type DisbursementStatus, listDisbursements } from '@case-platform/modules/disbursements';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { ASKED, asBank, BANK, bringTo, decide, draft, fundCase, move } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
await fundCase(api, CASE_1, 900_000_000);
const { surrogate, parent, parent2, manager, owner, rep, escrow, finance, root, bothSurrogate: stranger } = await api.everyone();
const both = { maker: surrogate, checker: parent };
const audited = async (id: number) => {
  const { rows } = await api.pool.query<{ action: string }>(
    "select action from audit_entry where subject_type = 'disbursement' and subject_id = $1 order by id",
    [id],
  );
  return rows.map(({ action }) => action.replace('disbursement.', ''));
};
const patch = (who: Client, id: number, body: object) =>
  who.call('PATCH', `/api/disbursements/${id}`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

describe('the life of a request', () => {
  test('[REQUEST-1, AUDIT-1] draft, submitted, approved, batched, paid, returned: each step is in the audit log once', async () => {
    const id = await bringTo(api, both, 'returned');
    const { body } = await surrogate.get(`/api/disbursements/${id}`);
    assert.deepEqual([body.status, body.return_code], ['returned', 'R01']);
    assert.deepEqual(await audited(id), ['create', 'submit', 'approve', 'batch', 'pay', 'return']);
  });

  test('[APPROVER-1, REQUEST-14] a submitted request waits for the first parent, and says when the money can be expected', async () => {
    const { id } = await draft(surrogate);
    const request = await move(surrogate, id, 'submit');
    assert.match(String(request.waiting_for), /^Waiting for Paige Whitlock to approve it/);
    assert.match(String(request.expected_bank_date), /^\d{4}-\d\d-\d\d$/);
  });

  test('[ERROR-3] clients that send JSON by default need no body with a command', async () => {
    const { id } = await draft(surrogate);
    const headers = { 'content-type': 'application/json' };
    assert.equal((await surrogate.call('POST', `/api/disbursements/${id}/submit`, { headers })).body.status, 'submitted');
    assert.equal((await parent.call('POST', `/api/disbursements/${id}/deny`, { headers })).status, 422);
    assert.equal((await decide(parent, id, 'approve')).body.status, 'approved');
  });

  const outcomes: Record<string, Partial<Record<DisbursementStatus, DisbursementStatus>>> = {
    submit: { draft: 'submitted' },
    approve: { submitted: 'approved' },
    deny: { submitted: 'denied' },
    cancel: { draft: 'cancelled', submitted: 'cancelled' },
    revise: { draft: 'draft', submitted: 'draft', approved: 'draft' },
  };
  for (const status of DISBURSEMENT_STATUSES) {
    test(`[REQUEST-1] what is possible with a ${status} request, and what is rejected`, async () => {
      let unmoved: number | undefined;
      for (const [command, moves] of Object.entries(outcomes)) {
        const id = unmoved ?? (await bringTo(api, both, status));
        unmoved = moves[status] === undefined ? id : undefined;
        // Staff decide here, because they get 403 for a draft, which does not exist for a parent (DRAFT-1, DRAFT-2).
        const who = ['approve', 'deny'].includes(command) ? root : surrogate;
        const isUnread = who === root && ['draft', 'cancelled'].includes(status);
        const [refused, code] = isUnread ? [403, 'not_yours'] : [409, 'wrong_state'];
        const answer =
          command === 'revise'
            ? await patch(who, id, { amount_cents: 777 })
            : command === 'approve' || command === 'deny'
              ? await decide(who, id, command, command === 'deny' ? { reason: 'No' } : {})
              : await who.post(`/api/disbursements/${id}/${command}`);
        const expected = moves[status];
        assert.equal(answer.status, expected === undefined ? refused : 200, `${command}: ${JSON.stringify(answer.body)}`);
        const after = (await who.get(`/api/disbursements/${id}`)).body;
        assert.equal(after.status, expected ?? status, command);
        if (expected === undefined) assert.equal(answer.body.code, code);
      }
    });

    test(`[REQUEST-1] what the bank can do with a ${status} request`, async () => {
      const bank = { batch: ['approved'], pay: ['batched'], return: ['batched', 'paid'] };
      let unmoved: number | undefined;
      for (const command of ['batch', 'pay', 'return'] as const) {
        const id = unmoved ?? (await bringTo(api, both, status));
        unmoved = bank[command].includes(status) ? undefined : id;
        const doing = asBank(api, (tx) => Promise.resolve(BANK[command](tx, id)));
        if (bank[command].includes(status)) await doing;
        else await assert.rejects(doing, { code: 'wrong_state' }, command);
      }
    });
  }

  test('[REQUEST-6] of 50 parallel approvals one succeeds, 49 get a 409, and the audit log has one entry', async () => {
    const id = await bringTo(api, both, 'submitted');
    const answers = await Promise.all(Array.from({ length: 50 }, () => decide(parent, id, 'approve')));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 1);
    assert.equal(statuses.filter((status) => status === 409).length, 49);
    assert.deepEqual(await audited(id), ['create', 'submit', 'approve']);
    const { rows } = await api.pool.query('select kind from ledger_transaction where disbursement_id = $1', [id]);
    assert.deepEqual(rows, [{ kind: 'hold' }]);
  });

  test('[REQUEST-6] of approvals, denials, and cancellations at once exactly one succeeds', async () => {
    const id = await bringTo(api, both, 'submitted');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        at % 3 === 0
          ? decide(parent, id, 'approve')
          : at % 3 === 1
            ? decide(parent, id, 'deny', { reason: 'No' })
            : surrogate.post(`/api/disbursements/${id}/cancel`),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal((await audited(id)).length, 3);
  });
});

describe('who can do what', () => {
  test('[REQUEST-5] the submitter never approves, even as the designated approver', async () => {
    const own = await draft(parent);
    assert.equal((await move(parent, own.id, 'submit')).status, 'submitted');
    assert.equal((await decide(parent, own.id, 'approve')).status, 403);
    const { approver } = (await parent.get(`/api/disbursements/${own.id}`)).body;
    assert.equal(approver.user_id, parent2.userId, 'the next parent is asked');
    assert.equal((await move(parent2, own.id, 'approve')).status, 'approved');
  });

  test('[APPROVER-1] an admin with approve_drs on the case may decide, but not about their own request', async () => {
    const id = await bringTo(api, both, 'submitted');
    for (const who of [surrogate, parent2, manager, owner, rep, escrow, finance]) {
      assert.equal((await decide(who, id, 'approve')).status, 403);
      assert.equal((await decide(who, id, 'deny', { reason: 'No' })).status, 403);
    }
    const approved = await move(root, id, 'approve');
    assert.equal((approved.approver as { user_id: number }).user_id, root.userId);
    const payee = { user_type: 'surrogate', user_id: surrogate.userId };
    const own = await draft(root, { payee });
    await move(root, own.id, 'submit');
    assert.equal((await decide(root, own.id, 'approve')).status, 403);
  });

  test('[REQUEST-5] a person who changed the amount of a request does not approve it either', async () => {
    const id = await bringTo(api, both, 'submitted');
    assert.equal((await patch(root, id, { amount_cents: 99_999 })).status, 200);
    await move(surrogate, id, 'submit');
    assert.equal((await decide(root, id, 'approve')).status, 403);
    assert.equal((await move(parent, id, 'approve')).status, 'approved');
  });

  test('[PERSON-5] a person who changed a request is not notified to decide, not listed as approver, and rejected by the table', async () => {
    const setApprover = (id: number | null) =>
      api.pool.query('update case_file set approver_id = $2 where id = $1', [CASE_1, id]);
    await setApprover(root.userId);
    const id = await bringTo(api, both, 'submitted');
    assert.equal((await patch(root, id, { amount_cents: 88_888 })).body.approver.user_id, parent.userId);
    assert.equal((await move(surrogate, id, 'submit')).approver?.user_id, parent.userId);
    assert.equal((await patch(root, id, { amount_cents: 88_887 })).body.status, 'draft', 'sent again, and changed again');
    assert.equal((await move(surrogate, id, 'submit')).approver?.user_id, parent.userId);
    const naming = api.pool.query('update disbursement_request set approver_id = $2 where id = $1', [id, root.userId]);
    await assert.rejects(naming, { constraint: 'reviser_is_never_checker' });
    await setApprover(null);
    await api.pool.query('update disbursement_request set approver_id = null where id = $1', [id]);
    const listed = async () =>
      (
        await listDisbursements(
          api.db,
          { id: root.userId, user_type: 'admin', agency_id: null },
          { waiting_for_me: true },
          new Date(),
        )
      ).data;
    assert.ok(!(await listed()).some((one) => one.id === id), 'staff who may approve, but for the reviser');
    const other = await bringTo(api, both, 'submitted');
    await api.pool.query('update disbursement_request set approver_id = null where id = $1', [other]);
    assert.ok((await listed()).some((one) => one.id === other));
    assert.equal((await decide(root, id, 'approve')).status, 403);
    assert.equal((await move(root, other, 'approve')).status, 'approved');
  });

  test('[APPROVER-1] the approver who is set on the case comes before the first parent', async () => {
    await api.pool.query('update case_file set approver_id = $2 where id = $1', [CASE_1, rep.userId]);
    const id = await bringTo(api, { maker: surrogate, checker: rep }, 'approved');
    await api.pool.query('update case_file set approver_id = null where id = $1', [CASE_1]);
    assert.equal((await surrogate.get(`/api/disbursements/${id}`)).body.approver.user_id, rep.userId);
  });

  test('[REQUEST-4] only its maker sends, changes and takes back a request, and admins with edit_drs', async () => {
    const { id } = await draft(surrogate);
    const refuse = async (who: Client, status: number) => {
      assert.equal((await who.post(`/api/disbursements/${id}/submit`)).status, status);
      assert.equal((await who.post(`/api/disbursements/${id}/cancel`)).status, status);
      assert.equal((await patch(who, id, { amount_cents: 5 })).status, status);
    };
    for (const who of [parent, manager, owner]) await refuse(who, 404);
    await refuse(finance, 403);
    await move(surrogate, id, 'submit');
    for (const who of [parent, manager, owner, finance]) await refuse(who, 403);
    assert.equal((await patch(escrow, id, { amount_cents: 5 })).body.amount_cents, 5);
    assert.equal((await move(escrow, id, 'cancel')).status, 'cancelled');
  });

  test('[REQUEST-7] deny needs a reason', async () => {
    const id = await bringTo(api, both, 'submitted');
    for (const body of [{}, { reason: '' }, { reason: '   ' }, { reason: 5 }, { reason: 'x'.repeat(2001) }])
      assert.equal((await decide(parent, id, 'deny', body)).status, 422, JSON.stringify(body));
    const denied = await move(parent, id, 'deny', { reason: ' Not covered ' });
    assert.deepEqual([denied.status, denied.decision_reason, denied.waiting_for], ['denied', 'Not covered', null]);
  });
});

describe('changing a request', () => {
  test('[REQUEST-2] a draft takes every change, with the checks of a new one', async () => {
    const { id } = await draft(surrogate);
    const payee = { user_type: 'intended_parent', user_id: parent2.userId };
    const { body } = await patch(surrogate, id, { amount_cents: 999, category: 'Food', description: 'Lunch', payee });
    assert.deepEqual(
      [body.amount_cents, body.category, body.description, body.payee.user_id, body.status],
      [999, 'Food', 'Lunch', parent2.userId, 'draft'],
    );
    for (const change of [{}, { amount_cents: 0 }, { amount_cents: '1e3' }, { category: '=1' }, { payee: null }])
      assert.equal((await patch(surrogate, id, change)).status, 422, JSON.stringify(change));
    assert.equal((await patch(surrogate, id, { payee: { user_type: 'surrogate', user_id: stranger.userId } })).status, 404);
  });

  test('[REQUEST-8] after submission a change of payee or amount goes back to draft, and needs a new approval', async () => {
    for (const change of [{ amount_cents: 4321 }, { payee: { user_type: 'surrogate', user_id: surrogate.userId } }]) {
      const id = await bringTo(api, { maker: manager, checker: parent }, 'approved');
      const { body } = await patch(manager, id, change);
      assert.deepEqual([body.status, body.decided_at, body.submitted_at], ['draft', null, null]);
      assert.equal((await decide(root, id, 'approve')).status, 403);
      await move(manager, id, 'submit');
      await move(parent, id, 'approve');
      const { rows } = await api.pool.query('select kind from ledger_transaction where disbursement_id = $1 order by id', [id]);
      assert.deepEqual(
        rows.map(({ kind }) => kind),
        ['hold', 'release', 'hold'],
      );
    }
  });

  test('[REQUEST-8] after submission nothing else changes', async () => {
    const id = await bringTo(api, both, 'submitted');
    for (const change of [{ description: 'Other' }, { amount_cents: ASKED.amount_cents }])
      assert.equal((await patch(surrogate, id, change)).status, 409);
    assert.equal((await surrogate.get(`/api/disbursements/${id}`)).body.status, 'submitted');
  });

  test('[REQUEST-13] a request is discussed in a conversation of the case, named once', async () => {
    const { id } = await draft(surrogate);
    const put = (who: Client, chain_id: number) =>
      who.call('PUT', `/api/disbursements/${id}/chain`, {
        body: JSON.stringify({ chain_id }),
        headers: { 'content-type': 'application/json' },
      });
    const started = async (who: Client) => (await who.form('/api/messages', { message: 'About it' })).body.chain.id;
    const [chain, other, foreign] = [await started(surrogate), await started(surrogate), await started(stranger)];
    assert.equal((await put(surrogate, foreign)).status, 404);
    // They see this conversation, but it belongs to another case.
    await api.pool.query('update message_chain set case_id = $2 where id = $1', [other, CASE_2]);
    assert.equal((await put(surrogate, other)).status, 404);
    await api.pool.query('update message_chain set case_id = $2 where id = $1', [other, CASE_1]);
    assert.equal((await put(surrogate, chain)).body.chain_id, chain);
    assert.equal((await put(surrogate, chain)).status, 200);
    assert.equal((await put(surrogate, other)).status, 409);
    assert.equal((await audited(id)).filter((verb) => verb === 'link_chain').length, 1);
  });
});

test('[WHERE-5] a returned payment is ended once with a reason, only from that state, and everyone concerned is notified once', async () => {
  const end = (who: Client, id: number, body: object = { reason: 'Paid by check' }) =>
    who.post(`/api/disbursements/${id}/end`, body);
  for (const status of DISBURSEMENT_STATUSES.filter((one) => one !== 'returned')) {
    const id = await bringTo(api, both, status, {});
    const { rows } = await api.pool.query('select status from disbursement_request where id = $1', [id]);
    assert.ok([403, 409].includes((await end(root, id)).status), status);
    const after = await api.pool.query('select status from disbursement_request where id = $1', [id]);
    assert.deepEqual(after.rows, rows, status);
  }
  const available = async () => (await parent.get(`/api/cases/${CASE_1}`)).body.balance.available_cents;
  const before = await available();
  const id = await bringTo(api, both, 'returned');
  for (const who of [surrogate, parent, manager, finance]) assert.equal((await end(who, id)).status, 403);
  for (const body of [{}, { reason: ' ' }]) assert.equal((await end(escrow, id, body)).status, 422);
  assert.equal((await end(escrow, id, { reason: 'x', version: 'another' })).body.code, 'changed');
  await api.work();
  const answers = await Promise.all([end(escrow, id), end(root, id), end(escrow, id)]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409]);
  assert.equal(await available(), before, 'its money is available');
  for (const who of [surrogate, parent]) {
    const { body } = await who.get(`/api/disbursements/${id}`);
    const { event, note } = body.timeline.at(-1);
    assert.deepEqual([body.status, body.waiting_for, event, note], ['ended', null, 'ended', 'Paid by check']);
  }
  const retry = await escrow.post(`/api/disbursements/${id}/retry`, { reason: 'The bank has cleared it' });
  assert.deepEqual([retry.status, retry.body.code], [409, 'wrong_state']);
  await api.work();
  const { rows } = await api.pool.query(
    `select recipient from delivery where channel = 'email' and delivery_key like $1 order by recipient`,
    [`disbursement:${id}:ended:%`],
  );
  assert.deepEqual(
    rows.map(({ recipient }) => recipient),
    ['parent2@demo.test', 'parent@demo.test', 'surrogate@demo.test'],
  );
});
