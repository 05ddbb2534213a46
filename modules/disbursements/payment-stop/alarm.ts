import { type Sql, sql } from '@case-platform/lib/sql';
import { canBeSecondPerson, fullName, type User } from '@case-platform/modules/accounts';

/** An alarm about a request's payee that is not cleared, for the person who raised it and for staff of its case (BANK-10). */
export interface Alarm {
  raised_at: Date;
  raised_by_name: string;
  /** True if the reader raised it. */
  is_own: boolean;
  /** The conversation with the escrow specialist; null if staff raised it. */
  chain_id: number | null;
}

/** As parsed from JSON, with the time as text. */
export type AlarmJson = Omit<Alarm, 'raised_at'> & { raised_at: string };

/**
 * An expression: the alarm about the payee of a request `d` as JSON, the reader's own first; null for everyone else, and for the
 * payee under another of their records.
 * @param seesCase a condition: the reader sees the case.
 */
export function alarmFor({ id, user_type }: Pick<User, 'id' | 'user_type'>, seesCase: Sql): Sql {
  const isStaff = user_type === 'admin' ? seesCase : sql`false`;
  return sql`(select json_build_object('raised_at', s.raised_at, 'raised_by_name', ${fullName(sql`raiser`)},
         'is_own', s.raised_by = ${id}, 'chain_id', s.chain_id)
    from payment_stop s join user_account raiser on raiser.id = s.raised_by
   where s.payee_id = d.payee_id and s.cleared_at is null
     and (s.raised_by = ${id} or ${isStaff} and ${canBeSecondPerson(id, sql`array[d.payee_id]`)})
   order by s.raised_by <> ${id}, s.id limit 1)`;
}

/** The reason why a payment is stopped, for a reader who may know about the alarm; otherwise as `whyNotPayable` says it. */
export function alarmWords({ is_own, raised_by_name }: Pick<Alarm, 'is_own' | 'raised_by_name'>, payeeName: string): string {
  return is_own
    ? `You stopped all payments to ${payeeName}. The escrow specialist is checking this.`
    : `${raised_by_name} stopped all payments to ${payeeName}. The escrow specialist needs to check this.`;
}
