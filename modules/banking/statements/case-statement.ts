import type { Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import { adminHasPermission, fullName, type User } from '@case-platform/modules/accounts';
import { type Disbursement, listSetAside, REQUEST_READERS } from '@case-platform/modules/disbursements';
import { balanceIsVisible, hiddenBalanceError } from '@case-platform/modules/ledger';
import { bankDayOf } from '@case-platform/words/bank-days';
import { numberWords } from '@case-platform/words/counts';
import { STATEMENT_MAX } from '@case-platform/words/limits';
import type { CashKind } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { type MonthTotal, monthOf, totalMonths } from './month-totals.ts';
import { bankDaySql, type Period, startOfBankDay } from './period.ts';

type Viewer = Pick<User, 'id' | 'user_type' | 'agency_id'>;

/** One movement of a case's cash. */
interface StatementLine {
  /** `YYYY-MM-DD`, a banking day. */
  date: string;
  kind: CashKind;
  /** The purpose: the description of the request, or the note of a deposit or refund. */
  description: string;
  /** The category of the request; null for deposits and refunds. */
  category: string | null;
  /** The name of its payee; null for deposits and refunds. */
  payee: string | null;
  /** Positive for money in, negative for money out. */
  amount_cents: number;
  /** The balance of the case after it. */
  balance_cents: number;
  /** The request that was paid or returned; null for deposits and refunds. */
  disbursement_id: number | null;
}

/** The movements of a case, with the balances before and after: `closing = opening + sum` (STATEMENT-1). */
export interface CaseStatement extends Period {
  case_id: number;
  case_name: string;
  opening_balance_cents: number;
  closing_balance_cents: number;
  /** Oldest first. */
  data: StatementLine[];
  /** Approved requests that are not paid yet, in a statement up to today; the closing balance contains their money. */
  set_aside: SetAside[];
  /** The totals of its months, oldest first, each with the balance after it; none for a period within one month. */
  months: (MonthTotal & { balance_cents: number })[];
}

/** A payment that is still part of the balance. */
type SetAside = Pick<Disbursement, 'description' | 'category' | 'amount_cents' | 'whereabouts'> & {
  disbursement_id: number;
  payee: string;
};

interface Row extends Omit<StatementLine, 'description' | 'category' | 'date'> {
  case_name: string;
  opening_cents: number;
  /** Null when nothing moved in the period. */
  date: string | null;
  /** The category of the request, or what was noted about a deposit or refund. */
  memo: string;
  /** The description of the request; null for readers who may not read requests. */
  purpose: string | null;
}

/**
 * Returns the statement of a case: the movements of its cash. The page, the CSV file, and the PDF all show these figures. Money
 * reserved for a request still belongs to the case, so reserving it is not a movement.
 * @throws {NotFoundError} @throws {ForbiddenError} for readers who may not see the case's balance.
 * @throws {InvalidInputError} for a period with more movements than a statement can show.
 */
export async function getCaseStatement(
  db: Executor,
  reader: Viewer,
  caseId: number,
  period: Period,
  now: Date,
): Promise<CaseStatement> {
  const rows = await listRows(db, reader, caseId, period);
  const [first] = rows;
  if (first === undefined) throw await hiddenBalanceError(db, reader, caseId);
  if (rows.length > STATEMENT_MAX)
    throw invalid('from', `A statement shows up to ${numberWords(STATEMENT_MAX)} movements. Choose a shorter period.`);
  const data = rows.flatMap(({ case_name, opening_cents, date, memo, purpose, ...line }) =>
    date === null ? [] : [{ ...line, date, ...describe(line.kind, memo, purpose) }],
  );
  const balances = new Map(data.map(({ date, balance_cents }) => [monthOf(date), balance_cents]));
  return {
    case_id: caseId,
    case_name: first.case_name,
    ...period,
    opening_balance_cents: first.opening_cents,
    closing_balance_cents: data.at(-1)?.balance_cents ?? first.opening_cents,
    data,
    set_aside: period.to < bankDayOf(now) ? [] : await listOwnSetAside(db, reader, caseId, now),
    months: totalMonths(data, period).map((total) => ({ ...total, balance_cents: balances.get(total.month) ?? 0 })),
  };
}

async function listOwnSetAside(db: Executor, reader: Viewer, caseId: number, now: Date): Promise<SetAside[]> {
  const requests = await listSetAside(db, reader, caseId, now);
  return requests.map(({ id, description, category, payee, amount_cents, whereabouts }) => {
    return { disbursement_id: id, description, category, payee: payee.name, amount_cents, whereabouts };
  });
}

function listRows(db: Executor, reader: Viewer, caseId: number, { from, to }: Period): Promise<Row[]> {
  return query<Row>(
    db,
    sql`with seen as (
          select c.id, c.name from case_file c where c.id = ${caseId} and ${balanceIsVisible(reader)}),
        opening as (
          select coalesce(sum(p.amount_cents), 0)::bigint as cents
            from seen join ledger_transaction t on t.case_id = seen.id and t.created_at < ${startOfBankDay(from)}
            join ledger_posting p on p.case_id = seen.id and p.transaction_id = t.id and p.account = 'cash'),
        moved as (
          select t.id, t.created_at, t.kind, t.memo, t.disbursement_id, p.amount_cents
            from seen join ledger_transaction t
              on t.case_id = seen.id and t.created_at >= ${startOfBankDay(from)} and t.created_at < ${startOfBankDay(to, 1)}
            join ledger_posting p on p.case_id = seen.id and p.transaction_id = t.id and p.account = 'cash'
           order by t.created_at, t.id ${limitTo(STATEMENT_MAX + 1)})
        select seen.name as case_name, opening.cents as opening_cents, ${bankDaySql(sql`m.created_at`)} as date, m.kind,
               m.memo, m.disbursement_id, m.amount_cents, ${fullName(sql`payee`)} as payee,
               case when ${readsRequests(reader)} then d.description end as purpose,
               (opening.cents + sum(m.amount_cents) over (order by m.created_at, m.id))::bigint as balance_cents
          from seen cross join opening left join moved m on true
          left join disbursement_request d on d.id = m.disbursement_id left join user_account payee on payee.id = d.payee_id
         order by m.created_at, m.id`,
  );
}

/** A condition: admins need a permission to read requests, and see only their categories without it. */
function readsRequests({ id, user_type }: Viewer) {
  return user_type === 'admin' ? adminHasPermission(id, ...REQUEST_READERS) : sql`true`;
}

function describe(kind: CashKind, memo: string, purpose: string | null): Pick<StatementLine, 'description' | 'category'> {
  if (kind === 'deposit') return { description: memo || 'Paid in', category: null };
  if (kind === 'refund') return { description: memo || 'Paid back to the parents', category: null };
  return { description: purpose ?? sentence(memo), category: sentence(memo) };
}
