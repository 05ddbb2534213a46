import { defineCursor, idPart } from '@case-platform/lib/cursor';
import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, rowsFor, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import { type CaseReader, caseIsVisible } from '@case-platform/modules/cases';
import {
  disbursementIsVisible,
  isCompensation,
  listNotPayable,
  type NotPayable,
  requestConditions,
} from '@case-platform/modules/disbursements';
import { parseDay } from '@case-platform/words/days';
import { notedCodes } from './returns/noted-codes.ts';

/** An approved request that is in no batch. */
export interface ReadyRequest {
  id: number;
  case_id: number;
  case_name: string;
  category: string;
  description: string;
  amount_cents: number;
  /** True for compensation, which never shares a batch of the bank's file with reimbursements (NACHA-6). */
  is_compensation: boolean;
  payee_id: number;
  payee_name: string;
  decided_at: Date;
  last_four: string | null;
  /** Nothing is paid to the account before this time; null without an account. */
  usable_from: Date | null;
  /** The reason why it cannot be put into a batch now; null when it can. */
  problem: NotPayable | null;
}

const PAYEE_NAME = fullName(sql`u`);

/** Approved requests that the reader sees and that wait for a batch, oldest first, at most `limit`. */
export async function listReadyRequests(db: Executor, reader: CaseReader, now: Date, limit = 1000): Promise<ReadyRequest[]> {
  const rows = await query<Omit<ReadyRequest, 'problem'>>(
    db,
    sql`select d.id, d.case_id, c.name as case_name, d.category, d.description, d.amount_cents,
               ${isCompensation(sql`d`)} as is_compensation, d.payee_id, ${PAYEE_NAME} as payee_name, d.decided_at,
               a.last_four, a.usable_from
          from disbursement_request d join case_file c on c.id = d.case_id join user_account u on u.id = d.payee_id
          left join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
         where d.status = 'approved' and ${disbursementIsVisible(reader)} order by d.id ${limitTo(limit)}`,
  );
  const ids = rows.map(({ id }) => id);
  const problems = new Map((await listNotPayable(db, ids, 'send', now)).map((one) => [one.disbursement_id, one]));
  return rows.map((row) => ({ ...row, problem: problems.get(row.id) ?? null }));
}

/** One scheduled payment, with its case. */
export interface DuePayment {
  id: number;
  case_id: number;
  case_name: string;
  category: string;
  description: string;
  /** YYYY-MM-DD. */
  due_date: string;
  amount_cents: number;
  status: 'planned' | 'requested' | 'paid' | 'cancelled';
  payee_name: string | null;
  /** The request that pays it, once that request was submitted. */
  disbursement_id: number | null;
}

export const PAYMENT_STATES = ['open', 'paid', 'cancelled'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
/** `case_ended` in the index skips the lines of ended cases, however many there are; the state of the case itself decides. */
const CURSOR = defineCursor<[day: string, id: number]>('text', parseDay, idPart);
const WAITS = sql`s.status = 'planned' and not s.case_ended and c.status not in ('closed', 'cancelled')`;

interface PaymentFilter {
  state?: PaymentState | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/**
 * One keyset page of the scheduled payments (SPC) of the cases that the reader sees: open ones by due date, finished ones newest first. A payment that
 * was still planned when its case ended is not open.
 */
export async function listDuePayments(
  db: Executor,
  reader: CaseReader,
  { state = 'open', limit = 25, cursor }: PaymentFilter = {},
): Promise<{ data: DuePayment[]; next_cursor: string | null }> {
  const [day, id] = cursor === undefined ? [null, null] : CURSOR.read(cursor);
  const { isVisible, isReadable } = requestConditions(reader);
  const [sign, order] = state === 'open' ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`];
  const isListed = state === 'open' ? WAITS : sql`s.status = ${state}`;
  const rows = await query<DuePayment>(
    db,
    sql`select s.id, s.case_id, c.name as case_name, s.category, s.description, s.due_date::text as due_date,
               s.amount_cents,
               case when s.status = 'planned' and d.id is not null then 'requested' else s.status end as status,
               case when u.id is not null then ${PAYEE_NAME} end as payee_name,
               case when ${isReadable} then d.id end as disbursement_id
          from scheduled_payment s join case_file c on c.id = s.case_id left join user_account u on u.id = s.payee_id
          left join disbursement_request d
            on d.scheduled_payment_id = s.id and d.status not in ('draft', 'denied', 'cancelled', 'returned', 'ended') and ${isVisible}
         where ${isListed} and ${caseIsVisible(reader)}
           and (${day}::date is null or (s.due_date, s.id) ${sign} (${day}::date, ${id}::bigint))
         order by s.due_date ${order}, s.id ${order} ${limitTo(rowsFor(limit))}`,
  );
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  const next_cursor = last === undefined ? null : CURSOR.write(last.due_date, last.id);
  return { data, next_cursor };
}

/** A request that was paid or came back. */
export interface PaidRequest {
  id: number;
  case_id: number;
  case_name: string;
  category: string;
  description: string;
  payee_name: string;
  amount_cents: number;
  status: 'paid' | 'returned';
  /** When it was paid, or when it came back if that was before its batch was settled. */
  moved_at: Date;
  return_code: string | null;
  batch_id: number | null;
  /** Codes that the bank sent about the payment and that changed nothing, such as `R62` (RETURN-9). */
  noted_codes: string[];
}

/** The latest paid or returned requests that the reader sees, newest first, at most `limit`. */
export function listPaidRequests(db: Executor, reader: CaseReader, limit = 25): Promise<PaidRequest[]> {
  const newest = (
    status: PaidRequest['status'],
  ) => sql`(select d.id from disbursement_request d join case_file c on c.id = d.case_id
    where d.status = ${status} and ${disbursementIsVisible(reader)} order by d.id desc ${limitTo(limit)})`;
  return query<PaidRequest>(
    db,
    sql`select d.id, d.case_id, c.name as case_name, d.category, d.description, ${PAYEE_NAME} as payee_name,
               d.amount_cents, d.status, coalesce(d.paid_at, d.returned_at) as moved_at, d.return_code, e.batch_id,
               ${notedCodes(sql`e.id`)} as noted_codes
          from (${newest('paid')} union all ${newest('returned')}) newest
          join disbursement_request d on d.id = newest.id
          join case_file c on c.id = d.case_id join user_account u on u.id = d.payee_id
          left join lateral (select id, batch_id from banking_batch_entry where disbursement_id = d.id and released_at is null
                              order by id desc limit 1) e on true
         order by moved_at desc, d.id desc ${limitTo(limit)}`,
  );
}
