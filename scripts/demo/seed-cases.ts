import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { CASE_PLANS, type CasePlan, nameOf } from './case-plans.ts';
import { insertNumbered, insertRows } from './insert.ts';
import { hasCome, milestonesOf, promisedOf, statesOf } from './journey.ts';
import { ago, dayAgo } from './moments.ts';
import type { People, Person } from './seed-people.ts';

/** Closing cases are due later than this many days from now, so that no reminder is sent at first. */
const CLOSE_IN_DAYS = 6;
const CONTRACT_SIGNED = 47;
/** The person who opens cases without a specialist. */
const OPENED_BY = 'Ruth Adeyemi';

/** A case with its id, its number, and its plan. */
export interface SeededCase {
  id: number;
  number: number;
  plan: CasePlan;
}

/**
 * Seeds the demo's cases. The first ones already exist with their people, and get their age here.
 * @returns all cases in order.
 */
export async function seedCases(tx: Transaction, people: People, firstIds: readonly number[]): Promise<SeededCase[]> {
  const added = CASE_PLANS.slice(firstIds.length);
  const ids = await insertNumbered(
    tx,
    'case_file',
    added.map((plan, at) => ({
      ...ageOf(plan, firstIds.length + at + 1),
      name: nameOf(plan),
      status: plan.status,
      agency_id: plan.agency === null ? null : people.agency(plan.agency),
      escrow_specialist_id: plan.specialist === null ? null : people.of(plan.specialist).id,
    })),
  );
  const cases = [...firstIds, ...ids].map((id, at) => ({ id, number: at + 1, plan: CASE_PLANS[at] as CasePlan }));
  for (const one of cases.slice(0, firstIds.length)) await setAge(tx, one);
  await insertPeople(tx, people, cases.slice(firstIds.length));
  await insertRows(tx, 'case_milestone', cases.flatMap(milestoneRows(people)));
  await insertRows(tx, 'case_benefit', cases.flatMap(benefitRows));
  await insertRows(tx, 'audit_entry', cases.flatMap(auditRows(people)));
  return cases;
}

/** The dates on which a case was opened, last changed, and is due to close. */
function ageOf(plan: CasePlan, number: number) {
  const { opened, status } = plan;
  const last = statesOf(plan).at(-1)?.day ?? 0;
  const hasEnded = status === 'closed' || status === 'cancelled';
  const quietFor = hasEnded ? opened - last : Math.min(opened - Math.max(last, 1), ((number * 5) % 9) + 0.2);
  return {
    created_at: ago(opened),
    updated_at: ago(Math.max(quietFor, 0.2)),
    close_due_on: status === 'closing' ? dayAgo(-CLOSE_IN_DAYS - (number % 9)) : null,
  };
}

/** Sets the age and the family names of a case that already existed. */
async function setAge(tx: Transaction, { id, number, plan }: SeededCase): Promise<void> {
  const { created_at, updated_at } = ageOf(plan, number);
  await query(
    tx,
    sql`update case_file set name = ${nameOf(plan)}, created_at = ${created_at}, updated_at = ${updated_at} where id = ${id}`,
  );
  await query(tx, sql`update case_participant set joined_at = ${ago(plan.opened - 0.05)} where case_id = ${id}`);
  await query(tx, sql`update case_admin set added_at = ${created_at} where case_id = ${id}`);
}

async function insertPeople(tx: Transaction, people: People, cases: readonly SeededCase[]): Promise<void> {
  await insertRows(
    tx,
    'case_participant',
    cases.flatMap(({ id, plan: { opened, parents, surrogate, manager } }) =>
      [...parents, surrogate, manager]
        .filter((name) => name !== undefined && name !== null)
        .map((name, at) => ({
          case_id: id,
          user_id: people.of(name).id,
          position: at + 1,
          joined_at: ago(name === surrogate ? Math.max(opened - 4, 0.3) : opened - 0.05),
        })),
    ),
  );
  const team = cases.flatMap(({ id, plan: { specialist, opened } }) =>
    specialist === null ? [] : [{ case_id: id, user_id: people.of(specialist).id, added_at: ago(opened) }],
  );
  await insertRows(tx, 'case_admin', team);
}

function milestoneRows(people: People) {
  return ({ id, plan }: SeededCase) =>
    milestonesOf(plan).map(({ kind, day, note, funding }) => ({
      case_id: id,
      kind,
      note,
      funding_required_cents: funding,
      happened_on: dayAgo(plan.opened - day),
      created_at: ago(plan.opened - day - 0.4),
      created_by: people.of(plan.specialist ?? OPENED_BY).id,
    }));
}

/** The contract limits: one for every category that requests and the calendar use. */
function benefitRows({ id, number, plan }: SeededCase) {
  if (!hasCome(plan, CONTRACT_SIGNED)) return [];
  const of = { case_id: id, compensation: false };
  return [
    ...promisedOf(plan, number).map((one) => ({ ...of, ...one, period: 'case' })),
    { ...of, category: 'Travel', period: 'case', cap_cents: 150_000, note: 'Section 6: with receipts.' },
    { ...of, category: 'Medical', period: 'case', cap_cents: 120_000, note: 'Section 5: what insurance does not pay.' },
    { ...of, category: 'Childcare', period: 'month', cap_cents: 40_000, note: 'Section 7: on days of appointments.' },
    { ...of, category: 'Maternity clothing', period: 'case', cap_cents: 80_000, note: 'Section 8.' },
    {
      ...of,
      category: 'Lost wages',
      period: 'month',
      cap_cents: 150_000,
      note: 'Section 9: with a letter of the doctor.',
    },
  ];
}

/** The audit log of a case: its opening, and each change of its state. */
function auditRows(people: People) {
  return ({ id, plan }: SeededCase) => {
    const by: Person = people.of(plan.specialist ?? OPENED_BY);
    const of = {
      actor_id: by.id,
      actor_type: by.user_type,
      layer: 'admin',
      subject_id: id,
      subject_label: nameOf(plan),
      case_id: id,
    };
    const states = statesOf(plan);
    const moves = states.map(({ status, day }, at) => ({
      ...of,
      action: 'case.change_status',
      happened_at: ago(plan.opened - day),
      before: JSON.stringify({ status: states[at - 1]?.status ?? 'intake' }),
      after: JSON.stringify({ status }),
    }));
    const created = { ...of, action: 'case.create', happened_at: ago(plan.opened), before: null };
    return [{ ...created, after: JSON.stringify({ name: nameOf(plan), status: 'intake' }) }, ...moves];
  };
}
