import type { Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { findCaseBalance } from './case-balance.ts';

type Account = 'cash' | 'funds' | 'held';

/**
 * What each movement does, as a share of its amount: debits positive, credits negative, in sum nothing. `cash` lies at the
 * bank, `funds` may still be spent, `held` is set aside for approved requests.
 */
const POSTINGS = {
  deposit: { cash: 1, funds: -1 },
  refund: { funds: 1, cash: -1 },
  hold: { funds: 1, held: -1 },
  release: { held: 1, funds: -1 },
  payment: { held: 1, cash: -1 },
  return: { cash: 1, funds: -1 },
} as const satisfies Record<string, Partial<Record<Account, 1 | -1>>>;
export type LedgerKind = keyof typeof POSTINGS;

export interface LedgerEntry {
  kind: LedgerKind;
  case_id: number;
  amount_cents: number;
  disbursement_id?: number;
  /** What two persons have agreed on, for deposits and refunds. */
  cash_entry_id?: number;
  memo?: string;
  /** Who has caused it; null: the bank, or the platform itself. */
  created_by: number | null;
}

/** The row of the case is locked: movements of its money happen one after the other. */
export interface LockedCase {
  id: number;
  name: string;
  status: string;
}

/** Locks a case for the rest of the transaction; undefined when there is none. */
export async function lockCase(tx: Transaction, caseId: number): Promise<LockedCase | undefined> {
  const [locked] = await query<LockedCase>(
    tx,
    sql`select id, name, status from case_file where id = ${caseId} for no key update`,
  );
  return locked;
}

/** Posts one movement of a case's money; the case must be locked. */
export function postLedger(tx: Transaction, { kind, created_by, ...entry }: LedgerEntry): Promise<void> {
  return postMovements(tx, { kind, created_by }, [entry]);
}

/**
 * Posts movements of one kind in one statement, so that each balance is written once and not once a movement; their cases
 * must be locked, and no request may be named twice.
 */
export async function postMovements(
  tx: Transaction,
  { kind, created_by }: Pick<LedgerEntry, 'kind' | 'created_by'>,
  entries: readonly Omit<LedgerEntry, 'kind' | 'created_by'>[],
): Promise<void> {
  const postings = Object.entries(POSTINGS[kind]);
  await query(
    tx,
    sql`with movement as (
          select * from unnest(${entries.map(({ case_id }) => case_id)}::bigint[],
                               ${entries.map(({ disbursement_id }) => disbursement_id ?? null)}::bigint[],
                               ${entries.map(({ amount_cents }) => amount_cents)}::bigint[],
                               ${entries.map(({ memo }) => memo ?? '')}::text[],
                               ${entries.map(({ cash_entry_id }) => cash_entry_id ?? null)}::bigint[])
            as m (case_id, disbursement_id, amount_cents, memo, cash_entry_id)),
        made as (
          insert into ledger_transaction (case_id, kind, disbursement_id, memo, created_by, cash_entry_id)
          select case_id, ${kind}, disbursement_id, memo, ${created_by}, cash_entry_id from movement
          returning id, case_id, disbursement_id)
        insert into ledger_posting (transaction_id, case_id, account, amount_cents)
        select made.id, made.case_id, p.account, p.sign * m.amount_cents
          from made join movement m on m.disbursement_id is not distinct from made.disbursement_id,
               unnest(${postings.map(([account]) => account)}::text[],
                      ${postings.map(([, sign]) => sign)}::int[]) as p (account, sign)`,
  );
}

/** Why a refund is refused, when it is recorded and when it is confirmed. */
export const REFUND_NOT_COVERED = 'The case doesn’t have enough available for this refund. Record a smaller one.';

/**
 * Requires a case to have this much available. The caller has locked the case, so that of two payments at the same time the
 * second one sees what the first one took.
 * @param refusal what did not happen, and what to do next. It never names the balance: who reads it may not see that.
 * @throws {ConflictError} `insufficient_funds`.
 */
export async function requireFunds(
  tx: Transaction,
  { caseId, amountCents }: { caseId: number; amountCents: number },
  refusal: string,
): Promise<void> {
  const { available_cents } = await findCaseBalance(tx, caseId);
  if (available_cents < amountCents) throw new ConflictError(refusal, 'insufficient_funds');
}
