import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { LedgerKind } from './ledger.ts';

export interface DisbursementMovement {
  id: number;
  kind: LedgerKind;
  debit: 'cash' | 'funds' | 'held';
  credit: 'cash' | 'funds' | 'held';
  amount_cents: number;
  created_at: Date;
}

/** Lists a request's movements, oldest first. The caller must have checked access to the request. */
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
