import type { Database } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';
import type { ScheduledPayment } from '@case-platform/modules/cases';
import { listPlaces } from '@case-platform/modules/disbursements';
import type { CalendarPayment } from './case-money.ts';

/** Adds to scheduled payments where the money of their requests is, for those who read requests (WHERE-1). */
export async function placeScheduledPayments(
  db: Database,
  user: User,
  payments: readonly ScheduledPayment[],
  now: Date,
): Promise<CalendarPayment[]> {
  const ids = payments.map(({ disbursement_id }) => disbursement_id);
  const places = await listPlaces(db, user, ids, now);
  return payments.map((payment) => ({ ...payment, whereabouts: places.get(payment.disbursement_id ?? 0) }));
}
