import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { addBankingDays, type DisbursementStatus } from '@case-platform/modules/disbursements';
import { moneyWords } from '@case-platform/words/money';
import {
  DAYS_UNTIL_PAID,
  type DemoDisbursement,
  type DemoPayment,
  DISBURSEMENTS,
  FUNDING,
  MILESTONES,
  PAYMENTS,
} from './demo-money.ts';
import { insertRow, insertRows } from './insert.ts';
import { lifeOf } from './request-life.ts';
import type { DemoCast } from './seed-cast.ts';

/** The next day to close a case that the demo's Escrow Specialist is reminded of. */
const CLOSE_IN_DAYS = 6;

/** Writes the demo's milestones, payment calendars, ledger and requests in every state. */
export async function seedMoney(tx: Transaction, cast: DemoCast, caseIds: readonly number[]): Promise<void> {
  const seed: Seed = { tx, cast, person: personOf(cast), caseId: (number) => caseIds[number - 1] ?? 0, life: [] };
  await query(tx, sql`update case_file set close_due_on = ${day(-CLOSE_IN_DAYS)} where id = ${seed.caseId(2)}`);
  await seedMilestones(seed);
  await seedBenefits(seed);
  for (const [number, daysAgo, amount, memo] of FUNDING) {
    await seedDeposit(seed, { case_id: seed.caseId(number), amount_cents: amount, memo, at: ago(daysAgo) });
  }
  const scheduled = await seedPayments(seed);
  for (const request of [...DISBURSEMENTS].sort((a, b) => b.daysAgo - a.daysAgo)) {
    await seedDisbursement(seed, request, request.pays === undefined ? null : (scheduled.get(request.pays) ?? null));
  }
  // The audit log is read in the order in which it was written.
  const life = seed.life.sort((a, b) => a.happened_at.getTime() - b.happened_at.getTime());
  await insertRows(tx, 'audit_entry', life);
}

/** Recorded by one administrator and confirmed by the other. */
async function seedDeposit(
  seed: Seed,
  { case_id, amount_cents, memo, at }: { case_id: number; amount_cents: number; memo: string; at: Date },
): Promise<void> {
  const recorded_by = seed.person('root');
  const cash_entry_id = await insertRow(seed.tx, 'cash_entry', {
    ...{ case_id, kind: 'deposit', amount_cents, memo, recorded_by, recorded_at: at },
    ...{ status: 'confirmed', decided_by: seed.person('totpAdmin'), decided_at: at },
  });
  const entry = { case_id, kind: 'deposit', disbursement_id: null, cash_entry_id, memo, created_at: at };
  await post(seed, { ...entry, created_by: recorded_by }, { cash: amount_cents, funds: -amount_cents });
}

interface Seed {
  tx: Transaction;
  cast: DemoCast;
  /** What the audit log has about the requests. */
  life: AuditRow[];
  person(name: string): number;
  caseId(number: number): number;
}

async function seedMilestones({ tx, person, caseId }: Seed): Promise<void> {
  const rows = MILESTONES.map(([number, kind, daysAgo, note, funding]) => ({
    ...{ case_id: caseId(number), kind, note, happened_on: day(daysAgo), created_at: ago(daysAgo) },
    ...{ funding_required_cents: funding ?? null, created_by: person('escrow') },
  }));
  await insertRows(tx, 'case_milestone', rows);
}

/** What the contract of case 2 allows. */
async function seedBenefits({ tx, caseId }: Seed): Promise<void> {
  const of = { case_id: caseId(2) };
  await insertRows(tx, 'case_benefit', [
    { ...of, category: 'Travel', period: 'case', cap_cents: 150_000, note: 'Section 6: with receipts.' },
    { ...of, category: 'Monthly allowance', period: 'month', cap_cents: 20_000, note: '' },
    { ...of, category: 'Childcare', period: 'month', cap_cents: 40_000, note: 'Section 7: on days of appointments.' },
  ]);
}

/** @returns the ids of the payments, by themselves and by the keys that the demo gives some of them. */
async function seedPayments({ tx, person, caseId }: Seed): Promise<Map<string | DemoPayment, number>> {
  const ids = new Map<string | DemoPayment, number>();
  for (const line of PAYMENTS) {
    const { case: number, key, payee, dueDaysAgo, status = 'planned', ...payment } = line;
    const id = await insertRow(tx, 'scheduled_payment', {
      ...payment,
      status,
      case_id: caseId(number),
      payee_id: person(payee),
      due_date: day(dueDaysAgo),
      paid_at: status === 'paid' ? ago(dueDaysAgo) : null,
      created_at: ago(200),
    });
    ids.set(line, id);
    if (key !== undefined) ids.set(key, id);
  }
  return ids;
}

/** Days after its writing on which a request of the demo has come to its state. */
const TOOK: Record<DisbursementStatus, number> = {
  ...{ draft: 0, submitted: 0, cancelled: 1, approved: 2, denied: 2, batched: 3, paid: DAYS_UNTIL_PAID, returned: 8 },
};
const HELD: DisbursementStatus[] = ['approved', 'batched', 'paid', 'returned'];
const PAID: DisbursementStatus[] = ['paid', 'returned'];

async function seedDisbursement(seed: Seed, request: DemoDisbursement, scheduled: number | null): Promise<void> {
  const { tx, person, caseId } = seed;
  const { status, daysAgo, amount_cents, category, description, reason = null } = request;
  const id = await insertRow(tx, 'disbursement_request', {
    ...{ case_id: caseId(request.case), status, amount_cents, category, description, decision_reason: reason },
    payee_id: person(request.payee ?? request.by),
    created_by: person(request.by),
    created_at: ago(daysAgo),
    updated_at: ago(daysAgo - TOOK[status]),
    status_since: ago(daysAgo - TOOK[status]),
    scheduled_payment_id: scheduled,
    ...progressOf(request, person),
  });
  const move = (kind: string, at: DisbursementStatus, postings: Postings) => {
    const created_by = kind === 'hold' ? person(request.approver ?? 'parent') : null;
    const entry = { case_id: caseId(request.case), kind, disbursement_id: id, memo: category, created_by };
    return post(seed, { ...entry, created_at: ago(daysAgo - TOOK[at]) }, postings);
  };
  const people = { maker: request.by, checker: request.approver ?? 'parent' };
  for (const step of lifeOf(status, people)) seed.life.push(auditRow(seed, id, { request, step }));
  if (HELD.includes(status)) await move('hold', 'approved', { funds: amount_cents, held: -amount_cents });
  if (PAID.includes(status)) await move('payment', 'paid', { held: amount_cents, cash: -amount_cents });
  if (status === 'returned') await move('return', 'returned', { cash: amount_cents, funds: -amount_cents });
}

type AuditRow = ReturnType<typeof auditRow>;

function auditRow(
  { cast, caseId }: Pick<Seed, 'cast' | 'caseId'>,
  id: number,
  { request, step }: { request: DemoDisbursement; step: ReturnType<typeof lifeOf>[number] },
) {
  const actor = step.by === null ? null : (cast[step.by] ?? null);
  const reason = step.after === 'denied' ? { reason: request.reason } : {};
  return {
    ...{ actor_id: actor?.id ?? null, actor_type: actor?.user_type ?? null },
    layer: actor === null ? 'system' : actor.user_type === 'admin' ? 'admin' : 'api',
    action: `disbursement.${step.command}`,
    ...{ subject_id: id, subject_label: `${request.category}, ${moneyWords(request.amount_cents)}` },
    case_id: caseId(request.case),
    before: step.before === null ? null : JSON.stringify({ status: step.before }),
    after: JSON.stringify({ status: step.after, ...reason }),
    happened_at: ago(request.daysAgo - TOOK[step.after]),
  };
}

function progressOf({ status, daysAgo, by, approver = 'parent' }: DemoDisbursement, person: Seed['person']) {
  const isSent = status !== 'draft' && status !== 'cancelled';
  const isPaid = PAID.includes(status);
  return {
    submitted_by: isSent ? person(by) : null,
    submitted_at: isSent ? ago(daysAgo) : null,
    approver_id: isSent ? person(approver) : null,
    decided_at: isSent && status !== 'submitted' ? ago(daysAgo - TOOK.approved) : null,
    bank_date: isPaid || status === 'batched' ? addBankingDays(day(daysAgo - TOOK.batched), 1) : null,
    paid_at: isPaid ? ago(daysAgo - TOOK.paid) : null,
    returned_at: status === 'returned' ? ago(daysAgo - TOOK.returned) : null,
    return_code: status === 'returned' ? 'R03' : null,
  };
}

type Postings = Partial<Record<'cash' | 'funds' | 'held', number>>;
interface Entry {
  case_id: number;
  kind: string;
  disbursement_id: number | null;
  cash_entry_id?: number;
  memo: string;
  created_by: number | null;
  created_at: Date;
}

async function post({ tx }: Seed, entry: Entry, postings: Postings): Promise<void> {
  const transaction_id = await insertRow(tx, 'ledger_transaction', { ...entry });
  const rows = Object.entries(postings).map(([account, amount_cents]) => ({
    ...{ transaction_id, case_id: entry.case_id, account, amount_cents },
  }));
  await insertRows(tx, 'ledger_posting', rows);
}

function personOf(cast: DemoCast): (name: string) => number {
  return (name) => {
    const found = cast[name];
    if (found === undefined) throw new Error(`nobody of the demo is called ${name}`);
    return found.id;
  };
}

function ago(days: number): Date {
  return new Date(Date.now() - days * 86_400_000);
}

/** A day as PostgreSQL takes it. */
function day(daysAgo: number): string {
  return ago(daysAgo).toISOString().slice(0, 10);
}
