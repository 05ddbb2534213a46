import { addBankingDays, bankDayOf, processingDay } from '../../../words/bank-days.ts';
import type { DisbursementStatus } from '../disbursement-states.ts';

/** Batches are made at this hour in New York; a later approval goes into the next banking day's batch. */
export const CUT_OFF_HOUR = 14;
/** An ordinary ACH credit arrives on the banking day after its batch. */
const BANKING_DAYS_UNDER_WAY = 1;

/**
 * The day, `YYYY-MM-DD`, on which the money is at the payee's bank: that of the batch's file while the bank has it or can still
 * get it in time, otherwise the day if the next step happened now (WHERE-4). Null if no money is under way.
 * @param request.usable_from the time before which nothing is paid to the payee's account. It counts before the approval too, so
 *   that the approval does not move the date.
 */
export function expectedBankDate(
  request: { status: DisbursementStatus; bank_date: string | null; bank_has_it?: boolean; usable_from?: Date | null },
  now: Date,
): string | null {
  switch (request.status) {
    case 'submitted':
    case 'approved':
      return arrivalFrom(batchDay(request.usable_from, now));
    case 'batched': {
      const { bank_date, bank_has_it = false } = request;
      const isInTime = bank_date !== null && (bank_has_it || bank_date >= bankDayOf(now));
      return isInTime ? bank_date : arrivalFrom(batchDay(request.usable_from, now));
    }
    case 'paid':
      return request.bank_date;
    default:
      return null;
  }
}

/** The next day, `YYYY-MM-DD`, on whose cutoff a batch can contain a payment to an account that is usable from this time. */
export function batchDay(usable_from: Date | null | undefined, now: Date): string {
  return processingDay(latest(now, usable_from), CUT_OFF_HOUR);
}

function arrivalFrom(day: string): string {
  return addBankingDays(day, BANKING_DAYS_UNDER_WAY);
}

function latest(now: Date, usable_from: Date | null | undefined): Date {
  return usable_from != null && usable_from > now ? usable_from : now;
}
