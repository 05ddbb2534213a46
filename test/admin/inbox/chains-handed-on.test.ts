import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { findActiveUser } from '@case-platform/modules/accounts';
import { approveDisbursement } from '@case-platform/modules/disbursements';
import { CASE_1 } from '../../support/cast.ts';
import { decide, draft, fundCase, move } from '../../support/money.ts';
import { forgetMoves, moveAddress } from '../../support/persons.ts';
import { startApi } from '../../support/platform.ts';
import { startAdmin } from '../start-admin.ts';

/** The work of staff who are gone, or may do less, goes to others, and none of it is lost (CHAIN-7, APPROVER-3). */

const api = await startApi();
await fundCase(api, CASE_1, 100_000_000);
const admin = await startAdmin({ database: api });
const root = await admin.as('root');
const { parent, surrogate } = await api.everyone();
const sql = async (text: string, ...values: unknown[]) => (await api.pool.query(text, values)).rows;
const find = async (email: string) =>
  (await sql('select id::int, admin_role_id::int as role from user_account where email_address = $1', email))[0];
const [escrow, boss] = await Promise.all([find('escrow@demo.test'), find('root@demo.test')]);
const mayNotApprove = () =>
  sql("delete from admin_role_permission where admin_role_id = $1 and permission = 'approve_drs'", escrow.role);
const specialist = (id: number | null) => sql('update case_file set escrow_specialist_id = $2 where id = $1', CASE_1, id);

/** Sends a message of a parent to the case's team. @returns the id of the conversation. */
async function write(): Promise<number> {
  const { status, body } = await parent.form('/api/messages', {
    message: 'Is anybody there?',
    case_id: String(CASE_1),
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.chain.id;
}
const ownerOf = async (chain: number) =>
  (await sql('select assigned_admin_id::int as owner from message_chain where id = $1', chain))[0].owner;

/** Removes a permission from the escrow specialist's role on its page. */
async function takeFromRole(permission: string): Promise<void> {
  const rows = await sql(
    'select permission from admin_role_permission where admin_role_id = $1 and permission <> $2',
    escrow.role,
    permission,
  );
  const permissions = rows.map((row) => row.permission);
  const path = `/roles/${escrow.role}`;
  const { status } = await root.fill(await root.get(path), `${path}/permissions`, { permissions });
  assert.equal(status, 303);
}

/** Before each test, the escrow specialist is the only member of staff on the case. */
beforeEach(async () => {
  await sql("update user_account set status = 'active' where status = 'deactivated'");
  await sql("insert into admin_role_permission values ($1, 'view_messages') on conflict do nothing", escrow.role);
  await mayNotApprove();
  await sql('delete from case_admin');
  await sql('update case_file set approver_id = null where id = $1', CASE_1);
  await specialist(escrow.id);
});

test('[CHAIN-6] conversations stay with a specialist who cannot answer, and the page says so and offers to reassign', async () => {
  const problems = [
    ['their account is closed', async () => void (await root.post(`/users/${escrow.id}/deactivate`))],
    ['their role doesn’t include messages', () => takeFromRole('view_messages')],
  ] as const;
  for (const [words, disable] of problems) {
    await sql("update user_account set status = 'active' where id = $1", escrow.id);
    const before = await write();
    assert.doesNotMatch((await root.get(`/messages/${before}`)).text, /can’t answer/);
    await disable();
    await api.work();
    const after = await write();
    await sql("select graphile_worker.add_job('reassign_chains', '{}'::json)");
    await api.work();
    assert.deepEqual([await ownerOf(before), await ownerOf(after)], [escrow.id, escrow.id], words);
    const queue = (await root.get('/messages?assigned=nobody')).text;
    for (const chain of [before, after]) {
      const page = await root.get(`/messages/${chain}`);
      assert.match(page.text, new RegExp(`can’t answer: ${words}`));
      assert.match(page.text, new RegExp(`action="/messages/${chain}/assign"`));
      assert.match(queue, new RegExp(`href="/messages/${chain}"`), words);
    }
    assert.match((await root.get('/')).text, /conversations need an owner/);
    assert.equal((await root.post(`/messages/${after}/assign`, { admin_id: `${boss.id}` })).status, 303);
    assert.equal(await ownerOf(after), boss.id);
    assert.doesNotMatch((await root.get(`/messages/${after}`)).text, /can’t answer/);
  }
});

test('[CHAIN-6] a specialist who cannot answer is still not offered as an owner, and others without reassign_threads see nothing more', async () => {
  const chain = await write();
  await sql("update user_account set status = 'deactivated' where id = $1", escrow.id);
  const viewer = await admin.as('viewer');
  await sql(
    "insert into admin_role_permission select admin_role_id, 'view_messages' from user_account where email_address = 'viewer@demo.test' on conflict do nothing",
  );
  assert.equal((await viewer.get(`/messages/${chain}`)).status, 404);
  const { text } = await root.get(`/messages/${chain}`);
  assert.match(text, /<option value="" selected>Choose who takes it<\/option>/);
  assert.doesNotMatch(text, new RegExp(`<option value="${escrow.id}"`));
});

test('[CHAIN-7] conversations of a colleague whose account is closed go to the specialist, or to the queue without one', async () => {
  const chains = [await write(), await write()] as const;
  const viewer = await find('viewer@demo.test');
  await sql('update message_chain set assigned_admin_id = $1 where id = any($2)', viewer.id, chains);
  await sql('update message_chain set case_id = null where id = $1', chains[1]);
  assert.equal((await root.post(`/users/${viewer.id}/deactivate`)).status, 303);
  await api.work();
  assert.deepEqual([await ownerOf(chains[0]), await ownerOf(chains[1])], [escrow.id, null]);
  assert.deepEqual(
    [(await root.get(`/messages/${chains[0]}`)).status, (await root.get(`/messages/${chains[1]}`)).status],
    [404, 200],
  );
  const [given] = await sql(
    "select actor_id, layer, before, after from audit_entry where action = 'chain.assign' and subject_id = $1",
    chains[0],
  );
  assert.deepEqual([given.actor_id, given.layer, given.before.assigned_admin_id], [null, 'worker', viewer.id]);
  assert.equal(given.after.assigned_admin_id, escrow.id);
});

test('[CHAIN-7] conversations of someone whose role no longer reads them go to the case’s escrow specialist', async () => {
  const chain = await write();
  await specialist(boss.id);
  await takeFromRole('view_messages');
  await api.work();
  assert.equal(await ownerOf(chain), boss.id);
});

test('[CHAIN-7] a conversation assigned to someone at the moment they leave is reassigned within minutes', async () => {
  const chain = await write();
  const viewer = await find('viewer@demo.test');
  await sql("update user_account set status = 'deactivated' where id = $1", viewer.id);
  await sql('update message_chain set assigned_admin_id = $2 where id = $1', chain, viewer.id);
  await sql("select graphile_worker.add_job('reassign_chains', '{}'::json)");
  await api.work();
  assert.equal(await ownerOf(chain), escrow.id);
});

const setApprover = (id: number) =>
  root.post(`/cases/${CASE_1}`, { name: 'Case 1', agency_id: '1', close_due_on: '', approver_id: `${id}` });
const mayApprove = () => sql("insert into admin_role_permission values ($1, 'approve_drs')", escrow.role);
const approverOf = async (id: number) => (await surrogate.get(`/api/disbursements/${id}`)).body.approver?.user_id;
const send = async (who = surrogate) => move(who, (await draft(who)).id, 'submit');

test('[APPROVER-3] a request whose approver’s role no longer sees its case goes to someone else', async () => {
  await mayApprove();
  await sql("insert into admin_role_permission values ($1, 'view_all_cases') on conflict do nothing", escrow.role);
  await specialist(null);
  await setApprover(escrow.id);
  const { id, approver } = await send();
  assert.equal(approver?.user_id, escrow.id);
  await takeFromRole('view_all_cases');
  await api.work();
  assert.equal(await approverOf(id), parent.userId);
});

test('[APPROVER-2] only staff whose role may approve are offered, accepted, and notified as approvers of a case', async () => {
  const offered = async () => /id="approver_id".*?<\/select>/s.exec((await root.get(`/cases/${CASE_1}/edit`)).text)?.[0] ?? '';
  const refused = await setApprover(escrow.id);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /staff who see it and can approve requests/);
  assert.match(await offered(), new RegExp(`value="${boss.id}"`));
  assert.doesNotMatch(await offered(), new RegExp(`value="${escrow.id}"`));
  await mayApprove();
  assert.match(await offered(), new RegExp(`value="${escrow.id}"`));
  assert.equal((await setApprover(escrow.id)).status, 303);
  await mayNotApprove();
  assert.equal((await send()).approver?.user_id, parent.userId, 'set while their role could');
  assert.match(await offered(), /selected>[^<]*, can’t approve requests</);
  assert.equal((await setApprover(escrow.id)).status, 303, 'the case’s other details can be saved');
});

test('[APPROVER-3] a role that loses approve_drs passes on its people’s requests, and they decide nothing meanwhile', async () => {
  await mayApprove();
  await setApprover(escrow.id);
  const { id, approver } = await send();
  assert.equal(approver?.user_id, escrow.id);
  await takeFromRole('approve_drs');
  const actor = await findActiveUser(api.db, { email_address: 'escrow@demo.test', user_type: 'admin' });
  assert.ok(actor);
  const { version } = (await surrogate.get(`/api/disbursements/${id}`)).body;
  const context = { db: api.db, now: () => new Date() };
  const deciding = approveDisbursement(context, id, { version }, { actor, origin: SYSTEM });
  await assert.rejects(deciding, { name: 'ForbiddenError', message: 'Someone else decides this request.' });
  await api.work();
  assert.equal(await approverOf(id), parent.userId);
});

test('[APPROVER-3] a request sent to someone at the moment their role lost approve_drs is passed on within minutes', async () => {
  const { id: other } = await send(parent);
  const before = await approverOf(other);
  await mayApprove();
  await setApprover(escrow.id);
  const { id, approver } = await send();
  assert.equal(approver?.user_id, escrow.id);
  await mayNotApprove();
  await sql("select graphile_worker.add_job('reassign_approvals', '{}'::json)");
  await api.work();
  assert.equal(await approverOf(id), parent.userId);
  assert.deepEqual([typeof before, await approverOf(other)], ['number', before]);
});

test('[ADDRESS-6] an account whose address someone else changed cannot decide for a week, and about that person’s requests for a month', async (t) => {
  const rootApi = await api.as('root');
  await fundCase(api, CASE_1, 100_000_000);
  t.after(() => forgetMoves(api.pool));
  const moved = (id: number, by: number, days: { asked: number; followed: number }) => moveAddress(api.pool, id, by, days);
  const naming = 'update disbursement_request set approver_id = $2 where id = $1';

  const waiting = (await send()).id;
  assert.equal(await approverOf(waiting), parent.userId);
  await moved(parent.userId, escrow.id, { asked: 8, followed: 6 });
  const refused = await decide(parent, waiting, 'approve');
  assert.deepEqual([refused.status, refused.body.code], [403, 'address_moved']);
  await assert.rejects(sql(naming, waiting, parent.userId), { constraint: 'checker_is_their_own' });
  const work = { user_id: parent.userId };
  await api.pool.query("select graphile_worker.add_job('reassign_approvals', $1::json)", [JSON.stringify(work)]);
  await api.work();
  const next = await approverOf(waiting);
  assert.ok(next !== undefined && next !== parent.userId, 'the next parent is asked');
  assert.equal(await approverOf((await send()).id), next);
  await moved(parent.userId, escrow.id, { asked: 9, followed: 8 });
  assert.equal(await approverOf((await send()).id), parent.userId, 'a week later');
  await moved(parent.userId, surrogate.userId, { asked: 29, followed: 28 });
  assert.equal(await approverOf((await send()).id), next, 'asked for by somebody who is paid by it');
  await assert.rejects(sql(naming, waiting, parent.userId), { constraint: 'checker_is_their_own' });
  await moved(parent.userId, surrogate.userId, { asked: 31, followed: 29 });
  assert.equal(await approverOf((await send()).id), parent.userId, 'a month later');
  await moved(parent.userId, parent.userId, { asked: 1, followed: 1 });
  assert.equal(await approverOf((await send()).id), parent.userId, 'who asked themselves');

  // Without a designated approver, staff who may approve decide.
  await api.pool.query('update disbursement_request set approver_id = null where id = $1', [waiting]);
  const listed = async () => JSON.stringify((await rootApi.get('/api/disbursements?waiting_for_me=true&limit=100')).body.data);
  assert.match(await listed(), new RegExp(`"id":${waiting},`));
  await moved(boss.id, escrow.id, { asked: 1, followed: 0 });
  assert.doesNotMatch(await listed(), new RegExp(`"id":${waiting},`));
  assert.equal((await decide(rootApi, waiting, 'approve')).body.code, 'address_moved');
});

test('[CHAIN-7] a conversation that the specialist started goes to the next one, or to the queue when there is none', async () => {
  const start = async () => {
    const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
    const { body } = await (await api.as('escrow')).form('/api/messages', {
      message: 'About your visit',
      case_id: String(CASE_1),
      recipients,
    });
    assert.equal(await ownerOf(body.chain.id), escrow.id);
    return body.chain.id as number;
  };
  const path = `/cases/${CASE_1}/escrow-specialist`;
  const [started, received] = [await start(), await write()];
  assert.equal((await root.post(path, { admin_id: String(boss.id) })).status, 303);
  assert.deepEqual([await ownerOf(started), await ownerOf(received)], [boss.id, escrow.id]);
  const client = await api.as('escrow');
  assert.equal((await client.get(`/api/messages/${started}`)).status, 404);
  assert.equal((await client.get(`/api/messages/${received}`)).status, 200, 'one that is assigned to them');
  const [entry] = await sql(
    "select actor_id::int, after from audit_entry where action = 'chain.assign' and subject_id = $1",
    started,
  );
  assert.deepEqual([entry.actor_id, entry.after.assigned_admin_id], [boss.id, boss.id]);
  const back = await root.post(`/messages/${started}/assign`, { admin_id: String(escrow.id) });
  assert.equal(back.status, 422);
  assert.match(back.text, /They can’t see this conversation’s case\. Add them to the case first\./);

  await specialist(escrow.id);
  const chain = await start();
  assert.equal((await root.post(path, { admin_id: '' })).status, 303);
  assert.equal(await ownerOf(chain), null);
});

test('[CHAIN-7] a conversation whose owner started it and loses view_all_cases goes to the queue', async () => {
  await sql("insert into admin_role_permission values ($1, 'view_all_cases') on conflict do nothing", escrow.role);
  await specialist(null);
  const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
  const fields = { message: 'From afar', case_id: String(CASE_1), recipients };
  const client = await api.as('escrow');
  const start = async (of: Record<string, string>): Promise<number> => (await client.form('/api/messages', of)).body.chain.id;
  const [ofCase, ofNoCase] = [await start(fields), await start({ message: 'In person', recipients })];
  assert.deepEqual([await ownerOf(ofCase), await ownerOf(ofNoCase)], [escrow.id, escrow.id]);
  await takeFromRole('view_all_cases');
  await api.work();
  assert.deepEqual([await ownerOf(ofCase), await ownerOf(ofNoCase)], [null, escrow.id], 'one about no case stays');
});

/** Every way in which the escrow specialist stops seeing the case, or keeps seeing it in another way. */
interface Way {
  /** How they see it before. */
  through: 'specialist' | 'team' | 'both' | 'view_all_cases';
  lose: (next: number | null) => Promise<unknown>;
  /** Set if they no longer work at all, so that conversations assigned to them are passed on too. */
  isGone?: true;
  /** Set if they still see the case. */
  stays?: true;
}

const team = `/cases/${CASE_1}/team`;
const answered =
  (path: string, fields: Record<string, string> = {}) =>
  async () =>
    assert.equal((await root.post(path, fields)).status, 303);
const replace = (next: number | null) => answered(`/cases/${CASE_1}/escrow-specialist`, { admin_id: `${next ?? ''}` })();
const WAYS: Record<string, Way> = {
  'another specialist': { through: 'specialist', lose: replace },
  'another specialist, and still on the team': { through: 'both', lose: replace, stays: true },
  'removed from the team': { through: 'team', lose: answered(`${team}/${escrow.id}/remove`) },
  'removed from the team, and still the specialist': {
    through: 'both',
    lose: answered(`${team}/${escrow.id}/remove`),
    stays: true,
  },
  'a role without view_all_cases': { through: 'view_all_cases', lose: () => takeFromRole('view_all_cases') },
  'a role without view_messages': { through: 'team', lose: () => takeFromRole('view_messages'), isGone: true },
  'a closed account': { through: 'team', lose: answered(`/users/${escrow.id}/deactivate`), isGone: true },
};

/** Makes the escrow specialist see the case, and next to them another one, if there is one. */
async function letSee({ through }: Way, next: number | null): Promise<void> {
  const isSpecialist = through === 'specialist' || through === 'both';
  await specialist(isSpecialist ? escrow.id : next);
  await sql('delete from case_admin');
  if (through === 'team' || through === 'both') await answered(team, { admin_id: `${escrow.id}` })();
  // With reassign_threads, they would see those of the queue.
  const others = ['view_all_cases', 'reassign_threads'];
  await sql('delete from admin_role_permission where admin_role_id = $1 and permission = any($2)', escrow.role, others);
  if (through === 'view_all_cases')
    await sql("insert into admin_role_permission values ($1, 'view_all_cases') on conflict do nothing", escrow.role);
}

for (const [name, way] of Object.entries(WAYS)) {
  test(`[CHAIN-2, CHAIN-3, CHAIN-7] conversations that somebody started, answers, or only wrote in, after ${name}`, async () => {
    for (const next of [boss.id, null]) {
      await sql("update user_account set status = 'active' where id = $1", escrow.id);
      await sql("insert into admin_role_permission values ($1, 'view_messages') on conflict do nothing", escrow.role);
      await letSee(way, next);
      const client = await api.as('escrow');
      const assign = (chain: number, to: number) =>
        sql('update message_chain set assigned_admin_id = $2 where id = $1', chain, to);
      const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
      const fields = { message: 'About your visit', case_id: String(CASE_1), recipients };
      const started: number = (await client.form('/api/messages', fields)).body.chain.id;
      const [given, joined] = [await write(), await write()];
      for (const chain of [started, given, joined]) await assign(chain, escrow.id);
      assert.equal((await client.form(`/api/messages/${joined}`, { message: 'I’ll ask' })).status, 201);
      await assign(joined, boss.id);
      await way.lose(next);
      // A change of a role or an account is followed by a job; leaving a case has taken effect already.
      if (way.isGone || way.through === 'view_all_cases') await api.work();
      const owners = [await ownerOf(started), await ownerOf(given), await ownerOf(joined)];
      // The specialist who is still there takes what a team member leaves.
      const heir = way.stays ? escrow.id : next;
      const expected = [heir, way.isGone ? heir : escrow.id, boss.id];
      assert.deepEqual(owners, expected, `next: ${next}`);
      if (way.isGone) continue;
      const seen = await Promise.all(
        [started, given, joined].map(async (id) => (await client.get(`/api/messages/${id}`)).status),
      );
      assert.deepEqual(seen, way.stays ? [200, 200, 200] : [404, 200, 404], `next: ${next}`);
    }
  });
}
