import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { createTestDatabase } from '../../test/support/database.ts';
import { addMilestone } from './calendar/add-milestone.ts';
import { findNextScheduledPayment, listScheduledPayments } from './calendar/list-scheduled-payments.ts';
import { listMilestones, MILESTONE_KINDS, type MilestoneKind } from './calendar/milestones.ts';
import { markScheduledPaymentPaid } from './calendar/scheduled-payments.ts';
import { CASE_STATUSES, type CaseStatus } from './case-access.ts';
import { getCaseDetail } from './case-detail.ts';
import { mailLastScheduledPayment } from './case-mails.ts';
import { listEventsOfAgency, listEventsOfCase } from './list-agency-events.ts';
import { listCases } from './list-cases.ts';
import { listCasesOf } from './list-cases-of.ts';
import { listClosingCases } from './list-closing-cases.ts';
import { addParticipant, removeParticipant } from './people/case-participants.ts';
import { listCasePeople, listSharedCases } from './people/case-people.ts';
import { addToTeam, listCaseTeam, removeFromTeam } from './people/case-team.ts';
import { listPeopleOfCases } from './people/people-of-cases.ts';
import { requireOpenCase } from './require-open-case.ts';

const { db, pool } = await createTestDatabase();

async function person(email_address: string, user_type: UserType): Promise<User> {
  const user = await findActiveUser(db, { email_address, user_type });
  assert.ok(user, email_address);
  return user;
}
const root = await person('root@demo.test', 'admin');
const escrow = await person('escrow@demo.test', 'admin');
const parent = await person('parent@demo.test', 'ip');
const parent2 = await person('parent2@demo.test', 'ip');
const surrogate = await person('surrogate@demo.test', 'surrogate');
const manager = await person('manager@demo.test', 'cm');
const rep = await person('rep@demo.test', 'ip_rep');
const by = { actor: root, origin: SYSTEM };

const idOf = async (statement: Sql) => (await query<{ id: number }>(db, statement))[0]?.id ?? 0;
const newCase = (fields: { name?: string; status?: CaseStatus; specialist?: User | null; due?: string | null } = {}) => {
  const { name = 'Lists', status = 'active', specialist = null, due = null } = fields;
  return idOf(sql`insert into case_file (name, status, escrow_specialist_id, close_due_on)
                  values (${name}, ${status}, ${specialist?.id ?? null}, ${due}) returning id`);
};
const join = async (caseId: number, ...people: User[]) => {
  for (const { email_address, user_type } of people) await addParticipant(db, caseId, { email_address, user_type }, by);
};
const leave = (caseId: number, { id }: User) => db.transaction((tx) => removeParticipant(tx, caseId, id, by));
const plan = (caseId: number, due: string, more: { payee?: User; category?: string; status?: string } = {}) =>
  idOf(sql`insert into scheduled_payment (case_id, category, due_date, amount_cents, payee_id, status, paid_at)
           values (${caseId}, ${more.category ?? 'Allowance'}, ${due}, 100, ${more.payee?.id ?? null}, ${more.status ?? 'planned'},
                   case when ${more.status === 'paid'} then now() end) returning id`);
const isOpen = (status: CaseStatus) => status !== 'closed' && status !== 'cancelled';

test('[CASE-7] a command that needs an open case is rejected in each state that ends one', () => {
  for (const status of CASE_STATUSES) {
    if (isOpen(status)) requireOpenCase({ status });
    else assert.throws(() => requireOpenCase({ status }), { code: 'case_closed' }, status);
  }
});

test('[EMAIL-9] cases to be closed by a day are the specialist’s own that are still open and due by then', async () => {
  const DAYS = [null, '2026-11-29', '2026-11-30', '2026-12-01'];
  const made: { id: number; status: CaseStatus; due: string | null; specialist: User }[] = [];
  // Later due dates come first, so that the order of ids is not the order of due dates.
  for (const due of DAYS.toReversed())
    for (const status of CASE_STATUSES)
      for (const specialist of [escrow, root]) {
        const id = await newCase({ status, specialist, due });
        made.push({ id, status, due, specialist });
      }
  const due = (day: string) => made.filter((one) => one.due !== null && one.due <= day && isOpen(one.status));
  for (const specialist of [escrow, root]) {
    const expected = due('2026-11-30')
      .filter((one) => one.specialist === specialist)
      .sort((a, b) => (a.due ?? '').localeCompare(b.due ?? '') || a.id - b.id);
    const listed = await listClosingCases(db, specialist.id, { by: '2026-11-30', limit: 100 });
    assert.deepEqual(
      listed.map(({ id, close_due_on }) => [id, close_due_on]),
      expected.map(({ id, due: day }) => [id, day]),
    );
    assert.equal(expected.length, 10);
  }
  const { data } = await listCases(db, root, { close_due_by: '2026-11-30', sort: 'created_at', limit: 100 });
  const ids = new Set(made.map(({ id }) => id));
  assert.deepEqual(
    data.flatMap(({ id }) => (ids.has(id) ? [id] : [])).sort((a, b) => a - b),
    due('2026-11-30')
      .map(({ id }) => id)
      .sort((a, b) => a - b),
  );
});

test('[CASE-4] the people of a case begin with its parents, in the order in which they joined', async () => {
  const caseId = await newCase();
  await join(caseId, surrogate, rep, parent, parent2);
  const other = await newCase();
  await join(other, parent, parent2);
  const names = async (id: number) => (await listCasePeople(db, id)).map(({ name }) => name);
  const inShort = async (id: number) => (await listPeopleOfCases(db, [caseId, other])).get(id)?.names;
  const approverOf = async (id: number) => (await getCaseDetail(db, root, id)).approver?.user_id;
  const first = ['Paige Whitlock', 'Peter Whitlock'];
  const [one, two] = [await names(caseId), await names(other)];
  assert.deepEqual(one.slice(0, 2), two);
  assert.deepEqual(one.slice(2), ['Sarah Lindgren', one[3]]);
  assert.equal(two[0], first[0]);
  assert.deepEqual(await inShort(caseId), one);
  assert.equal(await approverOf(caseId), parent.id);

  for (let times = 0; times < 2; times += 1) {
    await leave(caseId, parent);
    assert.equal(await approverOf(caseId), parent2.id);
    await join(caseId, parent);
    assert.equal(await approverOf(caseId), parent2.id, 'a parent who comes back is last');
    assert.deepEqual((await names(caseId)).slice(0, 2), [two[1], two[0]]);
    assert.deepEqual((await inShort(caseId))?.slice(0, 2), [two[1], two[0]]);
  }
  assert.deepEqual(await names(other), two, 'their place on another case is unchanged');
  assert.equal(await approverOf(other), parent.id);
  await assert.rejects(
    db.transaction((tx) => removeParticipant(tx, caseId, manager.id, by)),
    { status: 404 },
  );
});

test('[APPROVER-3] a person who leaves a case is no longer its approver there, and any other departure changes nothing', async () => {
  const [caseId, other] = [await newCase(), await newCase()];
  for (const id of [caseId, other]) {
    await join(id, parent, parent2, rep);
    await pool.query('update case_file set approver_id = $2 where id = $1', [id, rep.id]);
  }
  const approverOf = async (id: number) => (await getCaseDetail(db, root, id)).approver?.user_id;
  await leave(caseId, parent2);
  assert.equal(await approverOf(caseId), rep.id);
  await leave(caseId, rep);
  assert.equal(await approverOf(caseId), parent.id);
  await join(caseId, rep);
  assert.equal(await approverOf(caseId), parent.id, 'coming back does not make them the approver again');
  assert.equal(await approverOf(other), rep.id);
});

test('[CASE-4] the team of a case is its staff with an open account, by name, of that case only', async () => {
  const [caseId, other] = [await newCase(), await newCase()];
  const viewer = await person('viewer@demo.test', 'admin');
  for (const { id } of [viewer, escrow, root]) await addToTeam(db, caseId, id, by);
  await addToTeam(db, other, viewer.id, by);
  const team = async (id: number) => (await listCaseTeam(db, id)).map(({ user_id }) => user_id);
  const names = (await listCaseTeam(db, caseId)).map(({ name }) => name);
  assert.deepEqual(names, names.toSorted());
  assert.deepEqual((await team(caseId)).sort(), [viewer.id, escrow.id, root.id].sort());
  const roles = (await listCaseTeam(db, caseId)).map(({ user_id, role_name }) => `${user_id} ${role_name}`);
  assert.deepEqual(roles.sort(), [`${viewer.id} Viewer`, `${escrow.id} Escrow Specialist`, `${root.id} Administrator`].sort());
  const setStatus = (status: string) => pool.query('update user_account set status = $2 where id = $1', [escrow.id, status]);
  await setStatus('deactivated');
  assert.deepEqual((await team(caseId)).sort(), [viewer.id, root.id].sort());
  await setStatus('active');
  await db.transaction((tx) => removeFromTeam(tx, caseId, viewer.id, by));
  assert.deepEqual((await team(caseId)).sort(), [escrow.id, root.id].sort());
  assert.deepEqual(await team(other), [viewer.id]);
  await addToTeam(db, caseId, viewer.id, by);
  await assert.rejects(addToTeam(db, caseId, viewer.id, by), { code: 'on_team' });
});

test('[CHAIN-8] a shared case is one that all of these people are on now', async () => {
  const [both, one, left] = [await newCase(), await newCase(), await newCase()];
  await join(both, rep, surrogate);
  await join(one, rep);
  await join(left, rep, surrogate);
  await leave(left, surrogate);
  const shared = async (...people: User[]) => {
    const sharedCases = await listSharedCases(
      db,
      root,
      people.map(({ id }) => id),
      100,
    );
    return sharedCases.flatMap(({ id }) => ([both, one, left].includes(id) ? [id] : []));
  };
  assert.deepEqual(await shared(rep, surrogate), [both]);
  assert.deepEqual(await shared(surrogate, rep), [both]);
  assert.deepEqual(await shared(rep), [both, one, left]);
});

test('[CASE-1] the cases of a person are those that they are on, work in, or lead, newest first', async () => {
  const [both, one, left] = [await newCase(), await newCase(), await newCase()];
  await join(both, rep, surrogate);
  await join(one, rep);
  await join(left, rep, surrogate);
  await leave(left, surrogate);
  const led = await newCase({ specialist: escrow });
  await addToTeam(db, both, escrow.id, by);
  const casesOf = async (person: User, { reader = root, limit = 100 } = {}) => {
    const cases = await listCasesOf(db, reader, person.id, limit);
    return cases.flatMap(({ id }) => ([both, one, left, led].includes(id) ? [id] : []));
  };
  assert.deepEqual(await casesOf(surrogate), [both]);
  assert.deepEqual(await casesOf(rep), [left, one, both]);
  assert.deepEqual(await casesOf(rep, { limit: 2 }), [left, one]);
  assert.deepEqual(await casesOf(escrow), [led, both]);
  assert.deepEqual(await casesOf(rep, { reader: surrogate }), [both], 'of those that the reader sees');
});

test('[HOME-1] the next payment is the earliest one in open cases, and for a surrogate the earliest of their own', async () => {
  await pool.query("update scheduled_payment set status = 'cancelled' where status = 'planned'");
  const noRequests = { isVisible: sql`false`, isReadable: sql`false` };
  const next = async (reader: User) => (await findNextScheduledPayment(db, reader, noRequests))?.id ?? null;
  let day = 0;
  const expected: number[] = [];
  for (const status of CASE_STATUSES) {
    const caseId = await newCase({ status });
    await join(caseId, parent, surrogate);
    // The case that is created last has the earliest payment.
    const due = `2026-06-${20 - day++}`;
    for (const ended of ['cancelled', 'paid']) await plan(caseId, due, { status: ended });
    await plan(caseId, due, { payee: parent });
    const own = await plan(caseId, due, { payee: surrogate });
    await plan(caseId, '2026-06-30');
    if (isOpen(status)) expected.unshift(own);
  }
  for (const id of expected) {
    assert.equal(await next(surrogate), id);
    // The other payment of that day and case was created first.
    assert.equal(await next(parent), id - 1);
    await pool.query("update scheduled_payment set status = 'cancelled' where id = any($1)", [[id, id - 1]]);
  }
});

test('[PLAN-1] scheduled payments of one day have a stable order across pages', async () => {
  const [caseId, other] = [await newCase(), await newCase()];
  const ids: number[] = [];
  for (const due of ['2026-12-01', '2026-12-01', '2026-12-01', '2026-11-30', '2026-12-02']) {
    ids.push(await plan(caseId, due));
    await plan(other, due);
  }
  const ordered = [3, 0, 1, 2, 4].map((at) => ids[at]);
  for (const limit of [1, 2, 3]) {
    const seen: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await listScheduledPayments(db, caseId, { limit, cursor });
      seen.push(...page.data.map(({ id }) => id));
      assert.ok(seen.length <= ids.length, 'pages that never end');
      cursor = page.next_cursor;
    }
    assert.deepEqual(seen, ordered, `${limit} a page`);
  }
});

test('[EMAIL-8] the last payment of a category is announced for its own case and category', async () => {
  const [caseId, other] = [await newCase(), await newCase()];
  const announced = async (id: number) => {
    await db.transaction((tx) => markScheduledPaymentPaid(tx, id, new Date()));
    const { rows } = await pool.query(
      `select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'mail_last_scheduled_payment' and (j.payload ->> 'scheduled_payment_id')::int = $1`,
      [id],
    );
    return rows.length;
  };
  const [first, last] = [await plan(caseId, '2026-12-01'), await plan(caseId, '2027-01-01')];
  await plan(caseId, '2026-12-01', { category: 'Travel' });
  await plan(caseId, '2026-12-01', { status: 'cancelled' });
  await plan(other, '2026-12-01');
  assert.equal(await announced(first), 0);
  assert.equal(await announced(last), 1);
  assert.equal(await announced(last), 1, 'it was already paid');
});

test('[EMAIL-8] the admins of a case are its specialist and its team, or else those who see all cases', async () => {
  const viewer = await person('viewer@demo.test', 'admin');
  const mailed = async (caseId: number) => {
    const scheduled_payment_id = await plan(caseId, '2026-12-01');
    const context = { db, webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };
    await mailLastScheduledPayment(context, { scheduled_payment_id, at: '2026-12-01T00:00:00Z' });
    const { rows } = await pool.query('select recipient from delivery where delivery_key like $1 order by 1', [
      `scheduled_payment:${scheduled_payment_id}:last:%`,
    ]);
    return rows.map(({ recipient }) => recipient);
  };
  const led = await newCase({ specialist: escrow });
  assert.deepEqual(await mailed(led), ['escrow@demo.test']);
  const teamed = await newCase();
  await addToTeam(db, teamed, viewer.id, by);
  assert.deepEqual(await mailed(teamed), ['viewer@demo.test']);
  await addToTeam(db, led, viewer.id, by);
  assert.deepEqual(await mailed(led), ['escrow@demo.test', 'viewer@demo.test']);
  assert.deepEqual(await mailed(await newCase()), ['root@demo.test', 'totp-admin@demo.test']);
});

test('[CASE-8] each kind of milestone is recorded once a day in a case, and other events any number of times', async () => {
  const [caseId, next] = [await newCase(), await newCase()];
  const add = (kind: MilestoneKind, happened_on: string, id = caseId, now = '2026-11-20T10:00:00Z') =>
    addMilestone({ db, now: () => new Date(now) }, id, { kind, happened_on }, by);
  for (const kind of MILESTONE_KINDS) {
    await add(kind, '2026-11-01');
    if (kind === 'other') await add(kind, '2026-11-01');
    else await assert.rejects(add(kind, '2026-11-01'), { code: 'milestone_exists' }, kind);
    await add(kind, '2026-10-31');
    await add(kind, '2026-11-01', next);
  }
  const listed = await listMilestones(db, caseId);
  const order = listed.map(({ happened_on, id }) => [happened_on, id] as const);
  assert.deepEqual(
    order,
    order.toSorted(([day, id], [otherDay, otherId]) => otherDay.localeCompare(day) || otherId - id),
  );
  assert.deepEqual([listed.length, (await listMilestones(db, next)).length], [17, 8]);
  // Tomorrow in UTC is already today at UTC+14, from ten in the morning on.
  await add('other', '2026-11-21');
  await assert.rejects(add('other', '2026-11-21', caseId, '2026-11-20T09:59:59.999Z'), { status: 422 });
});

test('[KEY-6] events of an agency’s system are shown with its own agency and case', async () => {
  const [caseId, other] = [await newCase(), await newCase()];
  const agencies = await Promise.all(
    ['North', 'South'].map((name) => idOf(sql`insert into agency (name) values (${name}) returning id`)),
  );
  for (const agency of agencies)
    for (const [event, about, day] of [
      ['a', caseId, '2026-11-20'],
      ['b', other, '2026-11-21'],
      ['c', null, '2026-11-20'],
    ] as const)
      await query(
        db,
        sql`insert into agency_event (agency_id, event_id, type, case_id, received_at)
            values (${agency}, ${event}, 'note', ${about}, ${`${day}T12:00:00Z`})`,
      );
  const ids = (events: { agency_name: string; event_id: string }[]) =>
    events.map(({ agency_name, event_id }) => `${agency_name} ${event_id}`);
  assert.deepEqual(ids(await listEventsOfAgency(db, root, agencies[0] ?? 0)), ['North b', 'North a', 'North c'], 'newest first');
  assert.deepEqual(
    ids(await listEventsOfAgency(db, parent, agencies[0] ?? 0)),
    ['North c'],
    'without events of cases that they do not see',
  );
  assert.deepEqual(ids(await listEventsOfCase(db, root, caseId)).sort(), ['North a', 'South a']);
  assert.deepEqual(await listEventsOfCase(db, parent, caseId), []);
});
