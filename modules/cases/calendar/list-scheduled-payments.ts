import { defineCursor, idPart } from '@case-platform/lib/cursor';
import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, rowsFor, type Sql, sql } from '@case-platform/lib/sql';
import { parseDay } from '@case-platform/words/days';
import { type CaseReader, ownCases } from '../case-access.ts';
import type { CasePerson } from '../people/case-people.ts';
import { personJson } from '../people/person-json.ts';

const CURSOR = defineCursor<[day: string, id: number]>('text', parseDay, idPart);
/** `requested` means planned, with a submitted request that the reader may know about. */
export const SCHEDULED_PAYMENT_STATUSES = ['planned', 'requested', 'paid', 'cancelled'] as const;
export type ScheduledPaymentStatus = (typeof SCHEDULED_PAYMENT_STATUSES)[number];

/** One line of a case's calendar (PLAN-1). */
export interface ScheduledPayment {
  id: number;
  case_id: number;
  category: string;
  description: string;
  /** `YYYY-MM-DD`. */
  due_date: string;
  amount_cents: number;
  status: ScheduledPaymentStatus;
  payee: CasePerson | null;
  /** The request that pays it; null before the request is submitted, and if the reader may not see the request. */
  disbursement_id: number | null;
  paid_at: Date | null;
}

/** Conditions on `disbursement_request d` and `case_file c` that decide what a calendar shows its reader of requests. */
export interface RequestConditions {
  /** Requests that the reader may know about; a payment with another request looks planned. */
  isVisible: Sql;
  /** Those of them that the reader may open. */
  isReadable: Sql;
}

export interface ScheduledPaymentFilter {
  requests?: RequestConditions | undefined;
  category?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Lists a case's calendar by due date, in keyset pages. The caller must have checked access to the case. */
export async function listScheduledPayments(
  db: Executor,
  caseId: number,
  { requests, category, limit = 100, cursor }: ScheduledPaymentFilter = {},
): Promise<{ data: ScheduledPayment[]; next_cursor: string | null }> {
  const [day, id] = cursor === undefined ? [null, null] : CURSOR.read(cursor);
  const rows = await query<ScheduledPayment>(
    db,
    sql`${scheduledPayments(requests)}
         where s.case_id = ${caseId} and (${category ?? null}::text is null or s.category = ${category ?? null})
           and (${day}::date is null or (s.due_date, s.id) > (${day}::date, ${id}::bigint))
         order by s.due_date, s.id ${limitTo(rowsFor(limit))}`,
  );
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  const next_cursor = last === undefined ? null : CURSOR.write(last.due_date, last.id);
  return { data, next_cursor };
}

/** The payment that is due next in a reader's open cases, or null. For surrogates, only payments to them or without a payee. */
export async function findNextScheduledPayment(
  db: Executor,
  reader: CaseReader & { id: number },
  requests: RequestConditions,
): Promise<ScheduledPayment | null> {
  const concerns = reader.user_type === 'surrogate' ? sql`(p.payee_id is null or p.payee_id = ${reader.id})` : sql`true`;
  const [next] = await query<ScheduledPayment>(
    db,
    sql`${scheduledPayments(requests)}
         where s.id = (
           select p.id from (${ownCases(reader)}) k
             join case_file c on c.id = k.case_id and c.status not in ('closed', 'cancelled')
            cross join lateral (
              select p.id, p.due_date from scheduled_payment p
               where p.case_id = c.id and p.status = 'planned' and ${concerns}
               order by p.due_date, p.id limit 1) p
            order by p.due_date, p.id limit 1)`,
  );
  return next ?? null;
}

/**
 * An expression: the cents of a planned line `s` that are still planned. A request that was approved for less leaves the rest
 * planned until it is paid, which ends the line (PLAN-5).
 */
export function leftOf(line: Sql): Sql {
  return sql`greatest(${line}.amount_cents - coalesce((
    select sum(ld.amount_cents) from disbursement_request ld
     where ld.scheduled_payment_id = ${line}.id and ld.status in ('approved', 'batched', 'paid')), 0), 0)`;
}

function scheduledPayments(
  { isVisible, isReadable }: RequestConditions = { isVisible: sql`false`, isReadable: sql`false` },
): Sql {
  return sql`select s.id, s.case_id, s.category, s.description, s.due_date::text as due_date, s.amount_cents,
               case when s.status = 'planned' and d.id is not null then 'requested' else s.status end as status,
               ${personJson('u')} as payee, s.paid_at,
               case when ${isReadable} then d.id end as disbursement_id
          from scheduled_payment s join case_file c on c.id = s.case_id
          left join user_account u on u.id = s.payee_id
          left join disbursement_request d
            on d.scheduled_payment_id = s.id and d.status not in ('draft', 'denied', 'cancelled', 'returned', 'ended') and ${isVisible}`;
}
