import type { Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { caseIsVisible } from '@case-platform/modules/cases';
import { numberWords } from '@case-platform/words/counts';
import { STATEMENT_MAX } from '@case-platform/words/limits';
import { totalMonths } from './month-totals.ts';
import { bankDaySql, type Period, startOfBankDay } from './period.ts';

/** One payment to a person. A request that came back and was paid again has two. */
interface OwnPayment {
  /** `YYYY-MM-DD`, a banking day. */
  date: string;
  case_id: number;
  description: string;
  category: string;
  amount_cents: number;
  disbursement_id: number;
  state: 'paid' | 'returned';
  /** True when the payee still sees the case, and so the request. */
  sees_case: boolean;
}

export interface OwnPayments extends Period {
  /** The sum of the payments, without those that came back. */
  total_cents: number;
  /** Oldest first. */
  data: OwnPayment[];
  /** The totals of its months, oldest first, without what came back; none for a period within one month. */
  months: { month: string; total_cents: number }[];
}

/**
 * Lists the payments to a person over all cases, including cases that they have left (STATEMENT-5).
 * @throws {InvalidInputError} for a period with more payments than a statement can show.
 */
export async function listOwnPayments(db: Executor, payee: User, { from, to }: Period): Promise<OwnPayments> {
  const data = await query<OwnPayment>(
    db,
    sql`select ${bankDaySql(sql`t.created_at`)} as date, d.case_id, d.description, d.category,
               -p.amount_cents as amount_cents, d.id as disbursement_id, ${caseIsVisible(payee)} as sees_case,
               case when exists (select from ledger_transaction r
                                  where r.disbursement_id = d.id and r.kind = 'return' and (r.created_at, r.id) > (t.created_at, t.id))
                 then 'returned' else 'paid' end as state
          from disbursement_request d join case_file c on c.id = d.case_id
          join ledger_transaction t on t.disbursement_id = d.id and t.kind = 'payment'
          join ledger_posting p on p.transaction_id = t.id and p.account = 'cash'
         where d.payee_id = ${payee.id} and t.created_at >= ${startOfBankDay(from)} and t.created_at < ${startOfBankDay(to, 1)}
         order by t.created_at, t.id ${limitTo(STATEMENT_MAX + 1)}`,
  );
  if (data.length > STATEMENT_MAX)
    throw invalid('from', `This list shows up to ${numberWords(STATEMENT_MAX)} payments. Choose a shorter period.`);
  const payments = data.filter(({ state }) => state === 'paid');
  const total_cents = payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  // A payment that came back counts zero, so that its month has a total, too.
  const counted = data.map(({ date, amount_cents, state }) => ({ date, amount_cents: state === 'paid' ? amount_cents : 0 }));
  const months = totalMonths(counted, { from, to }).map(({ month, in_cents }) => ({ month, total_cents: in_cents }));
  return { from, to, total_cents, data, months };
}
