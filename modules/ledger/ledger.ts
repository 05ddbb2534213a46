import type { Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { findCaseBalance } from './case-balance.ts';

type Account = 'cash' | 'funds' | 'held';

/**
 * The postings of each kind of movement, as shares of its amount: debits are positive, credits are negative, and the sum is zero
 * (LEDGER-1). `cash` is money at the bank, `funds` is available, and `held` is reserved for approved requests.
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
  /** The cash entry that two people agreed on, for deposits and refunds (DEPOSIT-4). */
  cash_entry_id?: number;
  memo?: string;
  /** The person who caused it; null for the bank, or the platform itself. */
  created_by: number | null;
}

/** A case whose row is locked, so that movements of its money run one after the other. */
export interface LockedCase {
  id: number;
  name: string;
  status: string;
}

/** Locks a case until the end of the transaction. Returns undefined for an unknown case. */
export async function lockCase(tx: Transaction, caseId: number): Promise<LockedCase | undefined> {
  const [lockedCase] = await query<LockedCase>(
    tx,
    sql`select id, name, status from case_file where id = ${caseId} for no key update`,
  );
  return lockedCase;
}

/** Posts one movement of a case's money. The caller must have locked the case. */
export function postLedger(tx: Transaction, { kind, created_by, ...entry }: LedgerEntry): Promise<void> {
  return postMovements(tx, { kind, created_by }, [entry]);
}

/**
 * Posts movements of one kind in one statement, so that each balance is written only once. The caller must have locked their
 * cases, and must not name a request twice.
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

/** The error of a refund that is too large, when it is recorded or confirmed. */
export const REFUND_NOT_COVERED = 'The case doesn’t have enough available for this refund. Record a smaller one.';

/**
 * Requires that a case has this much available. The caller must have locked the case, so that of two payments at the same time
 * the second one sees the first.
 * @param refusal the message: what did not happen, and what to do. It must not name the balance, which its reader may not see
 * (FUNDS-1).
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
