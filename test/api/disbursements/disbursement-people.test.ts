import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { findActiveUser } from '@case-platform/modules/accounts';
import { addScheduledPayment, updateCase } from '@case-platform/modules/cases';
import { batchDisbursements, PAYERS, payDisbursements } from '@case-platform/modules/disbursements';
import { canViewBalance } from '@case-platform/modules/ledger';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { ASKED, asBank, bringTo, draft, fundCase, move } from '../../support/money.ts';
import { type Answer, type Client, startApi } from '../../support/platform.ts';

/** The people who have a part in a request, and what happens to it when they or its payee are gone. */

const api = await startApi();
await fundCase(api, CASE_1, 100_000_000);
const { surrogate, parent, parent2, escrow, viewer, root, finance } = await api.everyone();
const actor = await findActiveUser(api.db, { email_address: 'root@demo.test', user_type: 'admin' });
assert.ok(actor);
const by = { actor, origin: SYSTEM };
const sql = (text: string, ...values: unknown[]) => api.pool.query(text, values);

const leave = (who: Client) => sql('update case_participant set left_at = now() where user_id = $1', who.userId);
const close = (who: Client) => sql("update user_account set status = 'deactivated' where id = $1", who.userId);
const setApprover = (id: number | null) => sql('update case_file set approver_id = $2 where id = $1', CASE_1, id);
/** Takes the escrow specialist off the case. */
async function takeOff(): Promise<void> {
  await sql('update case_file set escrow_specialist_id = null where id = $1', CASE_1);
  await sql('delete from case_admin where user_id = $1', escrow.userId);
}
const forMoney = { payee: { user_type: 'surrogate', user_id: surrogate.userId } };

/** Records someone as the sender of a request, which the API does only for its writer. */
async function sentBy(who: Client, id: number): Promise<void> {
  await sql('update disbursement_request set submitted_by = $2 where id = $1', id, who.userId);
}

/** Sends a command as the caller's page would, with the current version of the request. */
async function attempt(who: Client, id: number, command: string, body: object = {}): Promise<Answer> {
  const { version } = (await root.get(`/api/disbursements/${id}`)).body;
  return who.post(`/api/disbursements/${id}/${command}`, { version, ...body });
}
const outcome = ({ status, body }: Answer) => `${status} ${body.code ?? body.status}`;
const patch = (who: Client, id: number, fields: object) =>
  who.call('PATCH', `/api/disbursements/${id}`, {
    body: JSON.stringify(fields),
    headers: { 'content-type': 'application/json' },
  });

beforeEach(async () => {
  await sql('delete from payment_stop');
  await sql("update user_account set status = 'active' where status = 'deactivated'");
  await sql('update case_participant set left_at = null');
  await sql('update case_file set approver_id = null, escrow_specialist_id = $2 where id = $1', CASE_1, escrow.userId);
  await sql(
    `insert into admin_role_permission select admin_role_id, unnest(array['approve_drs', 'edit_drs', 'view_drs', 'create_drs'])
       from user_account where id = $1 on conflict do nothing`,
    escrow.userId,
  );
});

test('[PERSON-5] a person who submitted a request that someone else wrote does not decide about it', async () => {
  const { id } = await draft(surrogate);
  await move(surrogate, id, 'submit');
  await sentBy(escrow, id);
  assert.equal(outcome(await attempt(escrow, id, 'approve')), '403 same_person');
  assert.equal(outcome(await attempt(escrow, id, 'deny', { reason: 'No' })), '403 same_person');
  assert.equal(outcome(await attempt(parent, id, 'approve')), '200 approved');
});

test('[PERSON-5] a person who wrote a request that someone else submitted does not decide about it', async () => {
  const { id } = await draft(parent, forMoney);
  const request = await move(parent, id, 'submit');
  assert.equal(request.approver?.user_id, parent2.userId, 'the next parent is asked');
  await sentBy(escrow, id);
  assert.equal(outcome(await attempt(parent, id, 'approve')), '403 same_person');
  assert.equal(outcome(await attempt(parent2, id, 'approve')), '200 approved');
});

test('[PERSON-5] a person who changed a payment does not decide about it, even if someone else submits it', async () => {
  const { id } = await draft(surrogate);
  await move(surrogate, id, 'submit');
  assert.equal((await patch(escrow, id, { amount_cents: 777 })).status, 200);
  await move(surrogate, id, 'submit');
  assert.equal(outcome(await attempt(escrow, id, 'approve')), '403 same_person');
});

test('[APPROVER-1] a request that its approver submits goes to someone else', async () => {
  await setApprover(escrow.userId);
  const { id } = await draft(surrogate);
  await move(surrogate, id, 'submit');
  await patch(escrow, id, { amount_cents: 777 });
  assert.equal((await move(escrow, id, 'submit')).approver?.user_id, parent.userId);
  const other = await draft(surrogate);
  assert.equal((await move(surrogate, other.id, 'submit')).approver?.user_id, escrow.userId, 'else it is theirs');
});

test('[PAYABLE-2] nothing is written or submitted for someone who left or whose account is closed', async () => {
  for (const goes of [leave, close]) {
    await sql('update case_participant set left_at = null');
    await sql("update user_account set status = 'active' where status = 'deactivated'");
    const { id } = await draft(parent, forMoney);
    await goes(surrogate);
    assert.equal(outcome(await attempt(parent, id, 'submit')), '409 payee_left');
    const created = await parent.post(`/api/cases/${CASE_1}/disbursements`, { ...ASKED, ...forMoney });
    assert.equal(outcome(created), '404 payee_not_found');
    const answer = await patch(parent, (await draft(parent)).id, forMoney);
    assert.equal(outcome(answer), '404 payee_not_found');
  }
});

test('[PAYABLE-2] nothing is submitted or paid again for someone who requested it themselves and has left since', async () => {
  for (const goes of [leave, close]) {
    await sql('update case_participant set left_at = null');
    await sql("update user_account set status = 'active' where status = 'deactivated'");
    const { id } = await draft(surrogate);
    await move(surrogate, id, 'submit');
    await patch(escrow, id, { amount_cents: 777 });
    const returned = await bringTo(api, { maker: surrogate, checker: parent }, 'returned');
    await goes(surrogate);
    assert.equal(outcome(await attempt(escrow, id, 'submit')), '409 payee_left');
    assert.equal(outcome(await attempt(escrow, returned, 'retry', { reason: 'A new account' })), '409 payee_left');
  }
});

test('[REQUEST-11] a person who left a case no longer finds their own requests there, by id or in a list', async () => {
  const { id } = await draft(surrogate);
  const paths = [`/api/disbursements/${id}`, `/api/cases/${CASE_1}/disbursements`];
  for (const path of paths) assert.equal((await surrogate.get(path)).status, 200);
  await leave(surrogate);
  for (const path of paths) assert.equal((await surrogate.get(path)).status, 404);
  for (const command of ['submit', 'cancel', 'approve']) assert.equal((await attempt(surrogate, id, command)).status, 404);
  assert.equal((await patch(surrogate, id, { amount_cents: 1 })).status, 404);
});

test('[REQUEST-11, CASE-2] an admin off the case with view_drs sees and changes none of its requests', async () => {
  const own = await draft(escrow, forMoney);
  const others = await draft(surrogate);
  const sent = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
  const approved = await bringTo(api, { maker: surrogate, checker: parent }, 'approved');
  await setApprover(escrow.userId);
  const theirs = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
  await takeOff();
  for (const id of [own.id, others.id, sent, approved, theirs]) {
    assert.equal((await escrow.get(`/api/disbursements/${id}`)).status, 404);
    assert.equal((await patch(escrow, id, { amount_cents: 1 })).status, 404);
    for (const command of ['submit', 'cancel']) assert.equal((await attempt(escrow, id, command)).status, 404, command);
    assert.equal((await attempt(escrow, id, 'deny', { reason: 'No' })).status, 404);
    assert.equal((await attempt(escrow, id, 'approve')).status, 404);
  }
  assert.deepEqual(
    (await escrow.get('/api/disbursements?limit=100')).body.data.filter((one: { case_id: number }) => one.case_id === CASE_1),
    [],
  );
});

test('[CASE-2] finance sees what a payment needs of approved requests on other cases, and nothing else of the case', async () => {
  const both = { maker: surrogate, checker: parent };
  const hidden = [
    (await draft(surrogate)).id,
    ...(await Promise.all([bringTo(api, both, 'submitted'), bringTo(api, both, 'denied')])),
  ];
  const shown = [];
  for (const status of ['approved', 'batched', 'paid', 'returned'] as const) shown.push(await bringTo(api, both, status));
  const seen = (await finance.get('/api/disbursements?limit=100')).body.data.map(({ id }: { id: number }) => id);
  for (const id of hidden) {
    assert.equal((await finance.get(`/api/disbursements/${id}`)).status, 404);
    assert.ok(!seen.includes(id));
  }
  for (const id of shown) {
    const { body: whole } = await root.get(`/api/disbursements/${id}`);
    const { status, body } = await finance.get(`/api/disbursements/${id}`);
    assert.equal(status, 200);
    assert.ok(seen.includes(id));
    for (const name of ['case_name', 'payee', 'amount_cents', 'category', 'description', 'files', 'expected_bank_date', 'status'])
      assert.deepEqual(body[name], whole[name], name);
    for (const name of ['approver', 'decided_at', 'decision_reason', 'covered', 'benefit', 'chain_id', 'scheduled_payment_id'])
      assert.equal(body[name], null, name);
    assert.deepEqual(body.timeline, []);
    for (const command of ['cancel', 'submit'])
      assert.equal((await finance.post(`/api/disbursements/${id}/${command}`)).status, 403);
  }
  const closed = [
    '',
    '/disbursements',
    '/scheduled-payments',
    '/statement',
    '/projection',
    '/benefits',
    '/documents',
    '/timeline',
  ];
  for (const path of [...closed, '/proof-of-funds'])
    assert.equal((await finance.get(`/api/cases/${CASE_1}${path}`)).status, 404, path);
});

test('[CASE-2] each payment permission by itself shows what a payment needs of approved requests, and view_drs nothing off the case', async () => {
  const both = { maker: surrogate, checker: parent };
  const [submitted, approved, paid] = [
    await bringTo(api, both, 'submitted'),
    await bringTo(api, both, 'approved'),
    await bringTo(api, both, 'paid'),
  ];
  const { body: whole } = await root.get(`/api/disbursements/${approved}`);
  const statuses = async () =>
    Promise.all([submitted, approved, paid].map(async (id) => (await viewer.get(`/api/disbursements/${id}`)).status));
  const setOnly = async (permission: string) => {
    await sql('delete from admin_role_permission where admin_role_id = $1', viewerRole);
    await sql('insert into admin_role_permission values ($1, $2)', viewerRole, permission);
  };
  const role = await sql('select admin_role_id as id from user_account where id = $1', viewer.userId);
  const viewerRole = role.rows[0].id;
  const original = await sql('select permission from admin_role_permission where admin_role_id = $1', viewerRole);
  const onCase = [false, true];
  for (const isOnCase of onCase) {
    if (isOnCase) await sql('insert into case_admin (case_id, user_id) values ($1, $2)', CASE_1, viewer.userId);
    for (const permission of ['make_payments', 'create_nacha', 'approve_nacha']) {
      await setOnly(permission);
      assert.deepEqual(await statuses(), [404, 200, 200], `${permission}, ${isOnCase}`);
      const { body } = await viewer.get(`/api/disbursements/${approved}`);
      for (const name of ['case_name', 'payee', 'amount_cents', 'category', 'description', 'files', 'expected_bank_date'])
        assert.deepEqual(body[name], whole[name], `${permission}: ${name}`);
      for (const name of ['approver', 'decided_at', 'decision_reason', 'covered', 'benefit', 'chain_id', 'scheduled_payment_id'])
        assert.equal(body[name], null, `${permission}: ${name}`);
      assert.deepEqual(body.timeline, []);
      for (const path of ['/disbursements', `/cases/${CASE_1}/disbursements`])
        assert.equal((await viewer.get(`/api${path}`)).status, 403, permission);
    }
    await setOnly('view_drs');
    assert.deepEqual(await statuses(), isOnCase ? [200, 200, 200] : [404, 404, 404], `view_drs, ${isOnCase}`);
    for (const permission of ['view_case_details', 'view_messages', 'manage_roles']) {
      await setOnly(permission);
      assert.deepEqual(await statuses(), [403, 403, 403], permission);
    }
  }
  await sql('delete from case_admin where user_id = $1', viewer.userId);
  await sql('delete from admin_role_permission where admin_role_id = $1', viewerRole);
  for (const { permission } of original.rows)
    await sql('insert into admin_role_permission values ($1, $2)', viewerRole, permission);
});

/** The fields of a request that a payment needs. All others, also new ones, are of its case. */
const PAYMENT_FIELDS = [
  ['id', 'version', 'case_id', 'status', 'submitted_by', 'submitted_at', 'created_at', 'updated_at'],
  [
    'amount_cents',
    'category',
    'description',
    'payee',
    'files',
    'expected_bank_date',
    'waiting_for',
    'waiting_since',
    'whereabouts',
  ],
  ['paid_at', 'returned_at', 'return_code', 'return', 'not_payable'],
].flat();

test('[CASE-2] each field of the case is hidden from those who only pay its request, on its page and in each list', async () => {
  const isFilled = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
  const [role] = (await sql('select admin_role_id as id from user_account where id = $1', viewer.userId)).rows;
  const permissionsOf = 'select permission from admin_role_permission where admin_role_id = $1';
  const original: string[] = (await sql(permissionsOf, role.id)).rows.map(({ permission }) => permission);
  const setOnly = async (permissions: readonly string[]) => {
    await sql('delete from admin_role_permission where admin_role_id = $1', role.id);
    await sql('insert into admin_role_permission select $1, unnest($2::text[])', role.id, permissions);
  };
  await sql(
    `insert into case_benefit (case_id, category, period, cap_cents) values ($1, 'Travel', 'case', 90000000) on conflict do nothing`,
    CASE_1,
  );
  const ids: number[] = [];
  for (const status of ['approved', 'batched', 'paid', 'returned', 'ended'] as const) {
    const line = { category: 'Travel', description: 'Zqline', due_date: '2027-01-01', amount_cents: 5, payee_id: null };
    const { id: scheduled_payment_id } = await addScheduledPayment(api.db, CASE_1, line, by);
    const id = await bringTo(api, { maker: surrogate, checker: parent }, status, { description: 'Zqpaid', scheduled_payment_id });
    const { body } = await parent.form('/api/messages', { message: `About ${id}`, case_id: String(CASE_1) });
    const content = "decision_reason = 'zqreason', chain_id = $2";
    await sql(`update disbursement_request set ${content} where id = $1`, id, body.chain.id);
    ids.push(id);
  }
  await sql(
    `insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason)
     select payee_id, case_id, id, $2, now(), 'x' from disbursement_request where id = $1`,
    ids[0],
    parent.userId,
  );
  const pages = ids.map((id) => `/api/disbursements/${id}`);
  const lists = ['', '&q=Zqpaid', `&case_id=${CASE_1}`, '&status=approved'].map((more) => `/api/disbursements?limit=100${more}`);
  /** Reads the requests on a page or in a list. */
  const read = async (who: Client, path: string): Promise<Record<string, unknown>[]> => {
    const { status, body } = await who.get(path);
    assert.equal(status, 200, path);
    const all: Record<string, unknown>[] = body.data ?? [body];
    return all.filter(({ id }) => ids.includes(Number(id)));
  };
  const whole = (await Promise.all(pages.map((path) => read(root, path)))).flat();
  const hidden = Object.keys(whole[0] ?? {}).filter((name) => !PAYMENT_FIELDS.includes(name));
  const shownToNoOne = hidden.filter((name) => !whole.some((one) => isFilled(one[name])));
  // The account is only for those who decide about a submitted request.
  assert.deepEqual(shownToNoOne, ['payee_account'], 'each other field is filled for someone who sees the case');
  for (const permission of PAYERS)
    for (const [permissions, paths] of [
      [[permission], pages],
      [
        [permission, 'view_drs'],
        [...pages, ...lists],
      ],
    ] as const) {
      await setOnly(permissions);
      for (const path of paths) {
        const seen = await read(viewer, path);
        assert.ok(seen.length > 0, `${path} with ${permissions}`);
        for (const one of seen) {
          assert.deepEqual(
            hidden.filter((name) => isFilled(one[name])),
            [],
            `${path} with ${permissions}`,
          );
          assert.doesNotMatch(JSON.stringify(one), /zqreason|Whitlock/, `${path} with ${permissions}`);
        }
      }
    }
  await setOnly(original);
});

test('[APPROVER-1] the approver has an active account, is on the case, and had no part in the request', async () => {
  const approver = async () => (await draft(surrogate)).approver?.user_id;
  assert.equal(await approver(), parent.userId);
  await close(parent);
  assert.equal(await approver(), parent2.userId, 'a closed account');
  await leave(parent2);
  assert.equal(await approver(), undefined, 'no one is left');
  await sql("update user_account set status = 'active' where status = 'deactivated'");
  await sql('update case_participant set left_at = null');
  await setApprover(escrow.userId);
  assert.equal(await approver(), escrow.userId);
  await takeOff();
  assert.equal(await approver(), parent.userId, 'an admin off the case');
  await setApprover(parent2.userId);
  await leave(parent2);
  assert.equal(await approver(), parent.userId, 'a parent who has left');
});

test('[APPROVER-2] a person who does not see the case cannot be set as its approver', async () => {
  const set = (userId: number) => updateCase(api.db, CASE_1, { approver_id: userId }, by, async () => {});
  await set(escrow.userId);
  await set(parent2.userId);
  await setApprover(null);
  await leave(parent2);
  for (const [userId, why] of [
    [parent2.userId, 'has left'],
    [viewer.userId, 'an admin off the team'],
    [surrogate.userId, 'neither parent nor representative'],
  ] as const)
    await assert.rejects(set(userId), { name: 'InvalidInputError' }, why);
});

test('[CASE-7] a closed case keeps its drafts as they are', async () => {
  const { id } = await draft(surrogate);
  await sql("update case_file set status = 'closed' where id = $1", CASE_1);
  assert.equal(outcome(await patch(surrogate, id, { amount_cents: 1 })), '409 case_closed');
  await sql("update case_file set status = 'active' where id = $1", CASE_1);
});

test('[PLAN-4] a scheduled payment is paid once, by its own case, and only to someone who is on the case', async () => {
  const line = { category: 'Allowance', description: '', due_date: '2026-12-01', amount_cents: 500, payee_id: null };
  const plan = (caseId: number, fields: object = {}) => addScheduledPayment(api.db, caseId, { ...line, ...fields }, by);
  const ask = (id: number) =>
    surrogate.post(`/api/cases/${CASE_1}/disbursements`, {
      ...ASKED,
      category: line.category,
      scheduled_payment_id: id,
    });
  const own = await plan(CASE_1);
  const drafts = await Promise.all([ask(own.id), ask(own.id)]);
  assert.deepEqual(
    drafts.map(({ status }) => status),
    [201, 201],
    'a draft keeps nothing from others',
  );
  const answers = await Promise.all(drafts.map(({ body }) => attempt(surrogate, body.id, 'submit')));
  assert.deepEqual(answers.map(outcome).sort(), ['200 submitted', '409 already_requested']);
  assert.equal((await ask((await plan(CASE_2)).id)).status, 422, 'of another case');
  const over = await plan(CASE_1);
  await sql("update scheduled_payment set status = 'cancelled' where id = $1", over.id);
  assert.equal(outcome(await ask(over.id)), '409 not_planned');
  await plan(CASE_1, { payee_id: surrogate.userId });
  await leave(surrogate);
  await assert.rejects(plan(CASE_1, { payee_id: surrogate.userId }), { name: 'InvalidInputError' });
});

test('[SHOWN-2] staff on a case read its content with view_case_details, and do not see the case without it', async () => {
  const seen = async () => {
    const { status, body } = await escrow.get(`/api/cases/${CASE_1}`);
    return [status, typeof body.balance?.available_cents];
  };
  const take = (permission: string) =>
    sql(
      `delete from admin_role_permission where permission = $2
        and admin_role_id = (select admin_role_id from user_account where id = $1)`,
      escrow.userId,
      permission,
    );
  const may = () => canViewBalance(api.db, { id: escrow.userId, user_type: 'admin' });
  await take('view_drs');
  assert.deepEqual([await seen(), await may()], [[200, 'number'], true]);
  await take('view_case_details');
  assert.deepEqual([await seen(), await may()], [[403, 'undefined'], false], 'also past a guard');
});

test('[BATCH-2] a request that is named twice is neither batched nor paid twice', async () => {
  const approved = await bringTo(api, { maker: surrogate, checker: parent }, 'approved');
  const batched = await bringTo(api, { maker: surrogate, checker: parent }, 'batched');
  const refused = { code: 'named_twice' };
  await assert.rejects(
    asBank(api, (tx) => batchDisbursements(tx, [approved, approved], by, new Date())),
    refused,
  );
  await assert.rejects(
    asBank(api, (tx) => payDisbursements(tx, [batched, batched], by, new Date())),
    refused,
  );
  const status = async (id: number) => (await root.get(`/api/disbursements/${id}`)).body.status;
  assert.deepEqual([await status(approved), await status(batched)], ['approved', 'batched']);
});

test('[LAYER-5, REQUEST-13] staff who read messages and requests, and work on the case, name the conversation of a request', async () => {
  const { id } = await draft(surrogate);
  await move(surrogate, id, 'submit');
  const put = (chain_id: number) =>
    viewer.call('PUT', `/api/disbursements/${id}/chain`, {
      body: JSON.stringify({ chain_id }),
      headers: { 'content-type': 'application/json' },
    });
  const { rows: roles } = await api.pool.query(
    `select admin_role_id as id from user_account where email_address = 'viewer@demo.test'`,
  );
  const role = roles[0].id;
  const hold = async (...permissions: string[]) => {
    await api.pool.query('delete from admin_role_permission where admin_role_id = $1', [role]);
    await api.pool.query('insert into admin_role_permission select $1, unnest($2::text[])', [role, permissions]);
  };
  const chain = (await surrogate.form('/api/messages', { message: 'About it' })).body.chain.id;
  await api.pool.query('update message_chain set created_by = $2 where id = $1', [chain, viewer.userId]);
  await hold('view_drs');
  assert.deepEqual([(await put(chain)).status, (await put(999_999)).status], [403, 403], 'without view_messages');
  await hold('view_drs', 'view_messages');
  assert.equal((await put(chain)).status, 404, 'a case of others');
  await api.pool.query('insert into case_admin (case_id, user_id) values (1, $1)', [viewer.userId]);
  await hold('view_case_details', 'view_messages');
  assert.equal((await put(chain)).status, 403, 'without requests');
  await hold('view_drs', 'view_messages');
  assert.equal((await put(chain)).body.chain_id, chain);
});
