import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { DomainError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import {
  addScheduledPayment,
  addToTeam,
  designatedApprover,
  listStaffWhoCan,
  requireCategory,
  setEscrowSpecialist,
  updateCase,
} from '@case-platform/modules/cases';
import { listPayees, reassignApprovalsOf } from '@case-platform/modules/disbursements';
import { listCaseCashEntries } from '@case-platform/modules/ledger';
import { leaveChainsOfOtherAgencies } from '@case-platform/modules/messaging';
import { requireDistinctNames } from '../../modules/cases/people/announce-name.ts';
import { requireMatchingLine } from '../../modules/disbursements/claim-scheduled-payment.ts';
import { planChain } from '../../modules/messaging/plan-chain.ts';
import { createTestDatabase } from '../support/database.ts';
import { undone } from '../support/undone.ts';
import { seedTwins } from './seed-twins.ts';

/** The people who can be chosen for each part in a case, among people of each type and state, on the case and elsewhere. */

const { db } = await createTestDatabase();
const { id, people, crowd } = await db.transaction(seedTwins);
const caseId = id('case_file', 'Crowd');
const by = { actor: people.eve, origin: SYSTEM };
const userOf = (name: string): User => crowd.get(name) ?? assert.fail(name);
const everyone = [...crowd.keys()].filter((name) => name !== 'judge in' && name !== 'admin lead');

/** Lists those of the crowd whom a command accepts. */
async function listAccepted(command: (tx: Transaction, user: User) => Promise<unknown>, names = everyone): Promise<string[]> {
  const accepted: string[] = [];
  for (const name of names) {
    const isAccepted = undone(db, (tx) => command(tx, userOf(name)).then(() => true)).catch((error) => {
      if (!(error instanceof DomainError)) throw error;
      return false;
    });
    if (await isAccepted) accepted.push(name);
  }
  return accepted;
}
const ON_CASE = ['in', 'invited', 'closed'];
const onCase = (types: string[]) => ON_CASE.flatMap((state) => types.map((type) => `${type} ${state}`));

test('[PLAN-2] a payment is planned for a person on the case, and not for staff or someone who left', async () => {
  const payment = { category: 'Other', description: '', due_date: '2027-01-01', amount_cents: 1 };
  const accepted = await listAccepted((tx, user) => addScheduledPayment(tx, caseId, { ...payment, payee_id: user.id }, by));
  assert.deepEqual(accepted, onCase(['ip', 'surrogate', 'cm']));
});

test('[PLAN-3] a planned payment without a payee is for surrogates on the case, or for anyone on a case that has none', async () => {
  const fits = (isLeft: boolean) => async (tx: Transaction, user: User) => {
    const leave = `update case_participant set left_at = now() where user_id in (select id from user_account where user_type = 'surrogate')`;
    if (isLeft) await tx.query({ text: leave, values: [] });
    const text = `insert into scheduled_payment (case_id, category, due_date, amount_cents) values ($1, 'x', '2027-01-01', 1) returning id`;
    const [line] = (await tx.query({ text, values: [caseId] })).rows as { id: number }[];
    const scheduled_payment_id = Number(line?.id);
    await requireMatchingLine(tx, { scheduled_payment_id, case_id: caseId, payee_id: user.id, category: 'x' });
  };
  assert.deepEqual(await listAccepted(fits(false)), onCase(['surrogate']));
  assert.deepEqual(await listAccepted(fits(true)), everyone);
});

test('[CATEGORY-1] a category counts that is in the list of the case, or that of a payment planned for it', async () => {
  const isAccepted = (category: string, plannedFor: string | null) =>
    undone(db, async (tx) => {
      const text = `insert into scheduled_payment (case_id, category, due_date, amount_cents)
                    values ($1, 'Planned', '2027-01-01', 1) returning id`;
      const [line] =
        plannedFor === null ? [] : ((await tx.query({ text, values: [id('case_file', plannedFor)] })).rows as { id: number }[]);
      const accepted = requireCategory(tx, { caseId, category, scheduledPaymentId: line === undefined ? null : Number(line.id) });
      return accepted.then(
        () => true,
        (error) => (error.code === 'unknown_category' ? false : assert.fail(error)),
      );
    });
  assert.equal(await isAccepted('Other', null), true);
  assert.equal(await isAccepted('Planned', 'Crowd'), true);
  for (const [category, plannedFor] of [
    ['Planned', null],
    ['Planned', 'Other'],
    ['planned', 'Crowd'],
  ] as const)
    assert.equal(await isAccepted(category, plannedFor), false, `${category} of ${plannedFor}`);
});

test('[APPROVER-2] the approver of a case is an active parent on it, or staff who see it and may approve', async () => {
  const set = (tx: Transaction, user: User) => updateCase(tx, caseId, { approver_id: user.id }, by, async () => {});
  assert.deepEqual(await listAccepted(set, [...crowd.keys()]), ['admin lead', 'judge in', 'ip in']);
  const types: string[] = [];
  for (const type of ['ip', 'ip_rep', 'surrogate', 'cm', 'owner']) {
    const setAs = async (tx: Transaction, user: User) => {
      await tx.query({ text: 'update user_account set user_type = $1 where id = $2', values: [type, user.id] });
      return set(tx, user);
    };
    if ((await listAccepted(setAs, ['surrogate in'])).length > 0) types.push(type);
  }
  assert.deepEqual(types, ['ip', 'ip_rep'], 'or a representative of the parents');
});

test('[APPROVER-1] the approver that is set decides while they may, and otherwise the first active parent on the case', async () => {
  const decide = (name: string) =>
    undone(db, async (tx) => {
      await tx.query({ text: 'update case_file set approver_id = $1 where id = $2', values: [userOf(name).id, caseId] });
      const [row] = await query<{ id: number }>(
        tx,
        sql`select ${designatedApprover()} as id from case_file c where c.id = ${caseId}`,
      );
      return [...crowd].find(([, user]) => user.id === row?.id)?.[0];
    });
  const deciders: string[] = [];
  for (const name of crowd.keys()) {
    const decider = await decide(name);
    if (decider === name) deciders.push(name);
    else assert.equal(decider, 'ip in', name);
  }
  assert.deepEqual(deciders, ['admin lead', 'judge in', 'ip in', 'surrogate in', 'cm in']);
});

test('[CASE-1, CASE-11] only active staff join the team, and only those who read messages become escrow specialist', async () => {
  const staff = [...crowd.keys()].filter((name) => /admin|judge/.test(name));
  const join = (tx: Transaction, user: User) =>
    tx
      .query({ text: 'delete from case_admin where user_id = $1', values: [user.id] })
      .then(() => addToTeam(tx, caseId, user.id, by));
  const active = ['admin lead', 'judge in', 'judge other', 'admin in', 'admin left', 'admin other'];
  assert.deepEqual(await listAccepted(join, [...crowd.keys()]), active);
  const lead = (tx: Transaction, user: User) => setEscrowSpecialist(tx, caseId, user.id, by);
  assert.deepEqual(await listAccepted(lead, staff), ['admin lead', 'judge in', 'judge other']);
});

test('[APPROVER-2] the access page names active staff who have a permission, and for a case those who see it', async () => {
  const names = async (onCaseId?: number) =>
    (await listStaffWhoCan(db, 'approve_drs', onCaseId)).filter((name) => crowd.has(name));
  const before = [await names(), await names(caseId)];
  assert.deepEqual(before, [
    ['admin lead', 'judge in', 'judge other'],
    ['admin lead', 'judge in'],
  ]);
  const without = await undone(db, async (tx) => {
    await tx.query({ text: `update user_account set status = 'deactivated' where id = $1`, values: [userOf('judge in').id] });
    return (await listStaffWhoCan(tx, 'approve_drs', caseId)).filter((name) => crowd.has(name));
  });
  assert.deepEqual(without, ['admin lead']);
});

test('[DEPOSIT-5] a deposit is confirmed by active staff who pay and see its case, but did not record it', async () => {
  const seconds: string[] = [];
  for (const [name, { id: userId }] of crowd) {
    const hasSecond = await undone(db, async (tx) => {
      await tx.query({ text: `delete from admin_role_permission where permission = 'make_payments'`, values: [] });
      const role = `with pays as (insert into admin_role (name) values ('Pays') returning id),
        may as (insert into admin_role_permission select id, 'make_payments' from pays)
        update user_account set admin_role_id = pays.id from pays where user_account.id = $1 and user_type = 'admin'`;
      await tx.query({ text: role, values: [userId] });
      const entry = `insert into cash_entry (case_id, kind, amount_cents, recorded_by) values ($1, 'deposit', 1, $2)`;
      await tx.query({ text: entry, values: [caseId, userOf('admin lead').id] });
      const [listed] = await listCaseCashEntries(tx, userOf('judge in'), caseId);
      return listed?.has_second;
    });
    if (hasSecond) seconds.push(name);
  }
  assert.deepEqual(seconds, ['judge in', 'admin in']);
});

test('[REQUEST-20] a request can pay the active people on its case, and oneself unless one is staff', async () => {
  const payees = (name: string) =>
    undone(db, async (tx) => {
      const listed = await listPayees(tx, userOf(name), caseId, new Date());
      return listed.map((payee) => payee.name);
    });
  assert.deepEqual(await payees('judge in'), ['surrogate in', 'ip in', 'cm in']);
  assert.deepEqual(await payees('ip in'), ['ip in', 'surrogate in', 'cm in']);
  assert.deepEqual(await payees('surrogate in'), ['surrogate in']);
});

test('[CASE-10] a case stays with its agency while case managers or owners from there are on it', async () => {
  const move = (type: string, left: boolean) =>
    undone(db, async (tx) => {
      const values = [id('agency', 'Alder'), type, userOf('cm in').id];
      await tx.query({ text: 'update user_account set agency_id = $1, user_type = $2 where id = $3', values });
      await tx.query({ text: 'update case_file set agency_id = $1 where id = $2', values: [values[0] ?? 0, caseId] });
      if (left)
        await tx.query({ text: 'update case_participant set left_at = now() where user_id = $1', values: [userOf('cm in').id] });
      return updateCase(tx, caseId, { agency_id: id('agency', 'Birch') }, by, async () => {}).then(
        () => 'moved',
        (error) => error.code,
      );
    });
  const answers: string[] = [];
  for (const type of ['cm', 'owner']) answers.push(await move(type, false), await move(type, true));
  assert.deepEqual(answers, ['agency_in_use', 'moved', 'agency_in_use', 'moved']);
});

test('[APPROVER-3] the scheduled check takes a request from staff whose account is closed, or who may not approve it', async () => {
  const isTaken = (name: string, status: string) =>
    undone(db, async (tx) => {
      const approver = userOf(name).id;
      await tx.query({ text: 'update user_account set status = $1 where id = $2', values: [status, approver] });
      const text = `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
          submitted_at, approver_id) values ($1, 'submitted', 5, 'Other', 'x', $2, $2, $2, now(), $3) returning id`;
      const [request] = (await tx.query({ text, values: [caseId, userOf('surrogate in').id, approver] })).rows as {
        id: number;
      }[];
      await reassignApprovalsOf({ db: tx }, {}, new Date());
      const [row] = await query<{ id: number }>(
        tx,
        sql`select approver_id as id from disbursement_request where id = ${Number(request?.id)}`,
      );
      return row?.id !== approver;
    });
  const taken: [string, boolean, boolean][] = [];
  for (const name of ['admin lead', 'judge in', 'judge other', 'admin in'])
    taken.push([name, await isTaken(name, 'active'), await isTaken(name, 'deactivated')]);
  assert.deepEqual(taken, [
    ['admin lead', false, true],
    ['judge in', false, true],
    ['judge other', true, true],
    ['admin in', true, true],
  ]);
});

test('[APPROVER-3] a request is handed on unless its approver is an active parent of its case or may decide as staff', async () => {
  const deciding: string[] = [];
  for (const [name, { id: approver_id }] of crowd) {
    const stays = await undone(db, async (tx) => {
      const { id: maker } = userOf(name === 'surrogate in' ? 'cm in' : 'surrogate in');
      const text = `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by,
          submitted_by, submitted_at, approver_id) values ($1, 'submitted', 5, 'Other', 'x', $2, $2, $2, now(), $3)`;
      await tx.query({ text, values: [caseId, maker, approver_id] });
      await reassignApprovalsOf({ db: tx }, { user_id: approver_id }, new Date());
      const waiting = sql`select from disbursement_request where case_id = ${caseId} and approver_id = ${approver_id}`;
      return (await query(tx, waiting)).length > 0;
    });
    if (stays) deciding.push(name);
  }
  assert.deepEqual(deciding, ['admin lead', 'judge in', 'ip in', 'surrogate in', 'cm in']);
});

test('[APPROVER-3] handing on the requests of one person leaves those of other cases as they are', async () => {
  const handedOn = await undone(db, async (tx) => {
    const text = `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by,
        submitted_by, submitted_at, approver_id) values ($1, 'submitted', 5, 'Other', 'x', $2, $2, $2, now(), $3)`;
    const maker = userOf('surrogate in').id;
    for (const [name, approver] of [
      ['Crowd', 'ip left'],
      ['Other', 'ip closed'],
    ] as const)
      await tx.query({ text, values: [id('case_file', name), maker, userOf(approver).id] });
    await reassignApprovalsOf({ db: tx }, { user_id: userOf('ip left').id }, new Date());
    const changed = sql`select e.case_id from audit_entry e join disbursement_request d on d.id = e.subject_id
                         where e.action = 'disbursement.hand_on' and d.created_by = ${maker}`;
    return query<{ case_id: number }>(tx, changed);
  });
  assert.deepEqual(handedOn, [{ case_id: caseId }]);
});

test('[CHAIN-9] staff write without a case to active people whose cases they see, and to agency owners', async () => {
  const write = async (tx: Transaction, user: User) => {
    await tx.query({ text: 'update case_file set agency_id = $1 where id = $2', values: [id('agency', 'Alder'), caseId] });
    const [recipient] = await query<{ user_id: number; user_type: User['user_type'] }>(
      tx,
      sql`select id as user_id, user_type from user_account where id = ${user.id}`,
    );
    return planChain(tx, userOf('judge in'), { recipients: recipient === undefined ? [] : [recipient] });
  };
  assert.deepEqual(await listAccepted(write, [...crowd.keys()]), ['ip in', 'surrogate in', 'cm in']);
  const works = (user_type: string, agency: string) => async (tx: Transaction, user: User) => {
    const text = 'update user_account set user_type = $1, agency_id = $2 where id = $3';
    await tx.query({ text, values: [user_type, id('agency', agency), user.id] });
    return write(tx, user);
  };
  const others = ['cm other', 'cm left', 'cm invited', 'cm closed'];
  assert.deepEqual(await listAccepted(works('owner', 'Alder'), others), ['cm other', 'cm left']);
  for (const [user_type, agency] of [
    ['owner', 'Birch'],
    ['cm', 'Alder'],
  ] as const)
    assert.deepEqual(await listAccepted(works(user_type, agency), others), [], `${user_type} of ${agency}`);
});

test('[CHAIN-16, CASE-10] a move to another agency takes people of the old one out of conversations, and no others', async () => {
  const listLeaving = (change: (tx: Transaction) => Promise<unknown>) =>
    undone(db, async (tx) => {
      await tx.query({ text: 'update case_file set agency_id = $1 where id = $2', values: [id('agency', 'Birch'), caseId] });
      for (const [name, type, agency] of [
        ['cm in', 'cm', 'Birch'],
        ['surrogate other', 'owner', 'Birch'],
        ['ip other', 'owner', 'Alder'],
      ] as const) {
        const text = 'update user_account set user_type = $1, agency_id = $2 where id = $3';
        await tx.query({ text, values: [type, id('agency', agency), userOf(name).id] });
      }
      const chain = id('message_chain', 'Crowd');
      const parts = sql`select user_id from message_chain_group where chain_id = ${chain} and left_at is null`;
      const before = await query<{ user_id: number }>(tx, parts);
      await change(tx);
      const after = new Set((await query<{ user_id: number }>(tx, parts)).map(({ user_id }) => user_id));
      const gone = before.filter(({ user_id }) => !after.has(user_id)).map(({ user_id }) => user_id);
      return [...crowd].filter(([, user]) => gone.includes(user.id)).map(([name]) => name);
    });
  const ofOthers = ['cm invited', 'cm closed', 'ip other', 'cm other'];
  const former_agency_id = id('agency', 'Alder');
  assert.deepEqual(await listLeaving((tx) => leaveChainsOfOtherAgencies(tx, { case_id: caseId, former_agency_id })), ofOthers);
  for (const [name, { id: user_id }] of crowd) {
    const leaving = await listLeaving((tx) => leaveChainsOfOtherAgencies(tx, { user_id }));
    assert.deepEqual(leaving, ofOthers.includes(name) ? [name] : [], name);
  }
});

test('[ACCOUNT-5] a name is compared while its person is on the case, with the names of staff who work on it', async () => {
  const compare = (tx: Transaction, renamed: User, { first_name, last_name }: User) =>
    tx
      .query({
        text: 'update user_account set first_name = $1, last_name = $2 where id = $3',
        values: [first_name, last_name, renamed.id],
      })
      .then(() => requireDistinctNames(tx, caseId, 'first_name'));
  const names = everyone.filter((name) => !name.startsWith('admin') && !name.startsWith('judge'));
  const like = (staff: string) => listAccepted((tx, user) => compare(tx, user, userOf(staff)), names);
  const apart = names.filter((name) => !onCase(['ip', 'surrogate', 'cm']).includes(name));
  for (const staff of ['admin lead', 'judge in', 'admin in']) assert.deepEqual(await like(staff), apart, staff);
  for (const staff of ['judge other', 'admin left', 'admin other']) assert.deepEqual(await like(staff), names, staff);
});
