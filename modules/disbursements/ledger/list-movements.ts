import type { Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import type { LedgerKind } from './ledger.ts';

/** A movement of a case's money that a request has caused: what was debited, what was credited. */
export interface DisbursementMovement {
  id: number;
  kind: LedgerKind;
  debit: 'cash' | 'funds' | 'held';
  credit: 'cash' | 'funds' | 'held';
  amount_cents: number;
  created_at: Date;
}

/** The ledger's transactions of a request, the oldest first. The caller has found it through their own access. */
export function listMovements(db: Executor, disbursementId: number): Promise<DisbursementMovement[]> {
  return query<DisbursementMovement>(
    db,
    sql`select t.id, t.kind, debit.account as debit, credit.account as credit, debit.amount_cents, t.created_at
          from ledger_transaction t
          join ledger_posting debit on debit.transaction_id = t.id and debit.amount_cents > 0
          join ledger_posting credit on credit.transaction_id = t.id and credit.amount_cents < 0
         where t.disbursement_id = ${disbursementId} order by t.id`,
  );
}

/** A movement of a case's money as its statement shows it. */
export interface CaseMovement {
  id: number;
  kind: LedgerKind;
  amount_cents: number;
  memo: string;
  /** The request that has caused it; null for deposits and refunds. */
  disbursement_id: number | null;
  /** Null: the bank, or the platform itself. */
  created_by_name: string | null;
  /** Who has confirmed a deposit or refund. */
  confirmed_by_name: string | null;
  created_at: Date;
}

/**
 * The statement of a case, the newest first, one keyset page. The caller has found the case through their own access.
 * @throws {InvalidInputError} for a cursor of somewhere else.
 */
export async function listCaseMovements(
  db: Executor,
  caseId: number,
  { limit = 25, cursor }: { limit?: number | undefined; cursor?: string | undefined } = {},
): Promise<{ data: CaseMovement[]; next_cursor: string | null }> {
  const rows = await query<CaseMovement>(
    db,
    sql`select t.id, t.kind, p.amount_cents, t.memo, t.disbursement_id, t.created_at,
               case when u.id is not null
                 then ${fullName(sql`u`)}
               end as created_by_name,
               case when w.id is not null
                 then ${fullName(sql`w`)}
               end as confirmed_by_name
          from ledger_transaction t
          join ledger_posting p on p.transaction_id = t.id and p.amount_cents > 0
          left join user_account u on u.id = t.created_by
          left join cash_entry e on e.id = t.cash_entry_id left join user_account w on w.id = e.decided_by
         where t.case_id = ${caseId} and t.id < ${cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(cursor)}
         order by t.id desc limit ${limit + 1}`,
  );
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last === undefined ? null : Buffer.from(`movement:${last.id}`).toString('base64url') };
}

function readCursor(cursor: string): number {
  const found = /^movement:(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (found === null) throw invalid('cursor', 'cursor is not one that this list has given.');
  return Number(found[1]);
}
