import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { insertNumbered, insertRow, insertRows } from './insert.ts';
import { cashOf, type PlannedCash } from './journey.ts';
import { ago } from './moments.ts';
import type { SeededCase } from './seed-cases.ts';
import type { People } from './seed-people.ts';

/** One transaction of the ledger with its postings. The database enforces the rules about them. */
export interface Movement {
  case_id: number;
  kind: 'deposit' | 'refund' | 'hold' | 'payment' | 'return';
  disbursement_id: number | null;
  cash_entry_id: number | null;
  memo: string;
  created_by: number | null;
  at: Date;
  postings: Partial<Record<'cash' | 'funds' | 'held', number>>;
}

/** One person records cash, and another confirms it (DEPOSIT-1). */
const RECORDED_BY = 'Felix Brandt';
const CONFIRMED_BY = 'Ruth Adeyemi';
/** A wire that arrived today and waits for the second person. */
const WAITING = { number: 6, amount_cents: 1_750_000, memo: 'First deposit, wire', hours: 0.2 };

/** Seeds the deposits of parents, and the refunds when their case ended. */
export async function seedCash(
  tx: Transaction,
  people: People,
  cases: readonly SeededCase[],
  movements: readonly Movement[],
): Promise<Movement[]> {
  const [recorder, confirmer] = [people.of(RECORDED_BY).id, people.of(CONFIRMED_BY).id];
  const entries = cases.flatMap(({ id, plan }) => {
    const planned = cashOf(plan);
    return planned.map((one) => ({
      one,
      case_id: id,
      cents: centsOf(one, planned, id, movements),
      at: plan.opened - one.day,
    }));
  });
  const ids = await insertNumbered(
    tx,
    'cash_entry',
    entries.map(({ one: { kind, memo }, case_id, cents, at }) => ({
      case_id,
      kind,
      memo,
      amount_cents: cents,
      recorded_by: recorder,
      recorded_at: ago(at),
      status: 'confirmed',
      decided_by: confirmer,
      decided_at: ago(at - 0.1),
    })),
  );
  const waiting = cases[WAITING.number - 1];
  await insertRow(tx, 'cash_entry', {
    case_id: waiting?.id ?? null,
    kind: 'deposit',
    memo: WAITING.memo,
    amount_cents: WAITING.amount_cents,
    recorded_by: recorder,
    recorded_at: ago(WAITING.hours),
  });
  await auditCash(tx);
  return entries.map(({ one: { kind, memo }, case_id, cents, at }, place) => {
    const signed = kind === 'deposit' ? cents : -cents;
    const of = { case_id, kind, memo, disbursement_id: null, cash_entry_id: ids[place] ?? 0, created_by: recorder };
    return { ...of, at: ago(at - 0.1), postings: { cash: signed, funds: -signed } };
  });
}

/** Adds the audit log of all cash: who recorded it, and who confirmed it. */
async function auditCash(tx: Transaction): Promise<void> {
  await query(
    tx,
    sql`insert into audit_entry (actor_id, actor_type, layer, action, subject_id, subject_label, case_id, after, happened_at)
        select u.id, u.user_type, 'admin', 'case.' || step.name, c.id, c.name, c.id,
               jsonb_build_object('cash_entry_id', e.id, 'amount_cents', e.amount_cents, 'memo', e.memo), step.at
          from cash_entry e join case_file c on c.id = e.case_id
         cross join lateral (values ('record_' || e.kind, e.recorded_by, e.recorded_at),
                                    (e.kind, e.decided_by, e.decided_at)) step (name, user_id, at)
          join user_account u on u.id = step.user_id order by step.at, e.id`,
  );
}

/** The planned amount, or all remaining money of a case. */
function centsOf(
  { amount_cents }: PlannedCash,
  planned: readonly PlannedCash[],
  caseId: number,
  movements: readonly Movement[],
): number {
  if (amount_cents !== null) return amount_cents;
  const paidIn = planned.reduce((sum, one) => sum + (one.amount_cents ?? 0), 0);
  const own = movements.filter(({ case_id }) => case_id === caseId);
  return own.reduce((balance, { postings }) => balance + (postings.cash ?? 0), paidIn);
}

/** Posts movements in order of time. */
export async function postAll(tx: Transaction, movements: readonly Movement[]): Promise<void> {
  const inOrder = movements.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const ids = await insertNumbered(
    tx,
    'ledger_transaction',
    inOrder.map(({ postings: _, at, ...transaction }) => ({ ...transaction, created_at: at })),
  );
  const rows = inOrder.flatMap(({ case_id, postings }, place) =>
    Object.entries(postings).map(([account, amount_cents]) => ({
      transaction_id: ids[place] ?? 0,
      case_id,
      account,
      amount_cents,
    })),
  );
  await insertRows(tx, 'ledger_posting', rows);
}
