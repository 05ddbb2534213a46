import { addBankingDays, processingDay } from '../../words/bank-days.ts';
import type { DisbursementStatus } from './disbursement-states.ts';

/** Batches are made at this hour in New York; a later approval goes into the next banking day's batch. */
export const CUT_OFF_HOUR = 14;
/** An ordinary ACH credit arrives on the banking day after its batch. */
const BANKING_DAYS_UNDER_WAY = 1;

/**
 * The day, `YYYY-MM-DD`, on which the money is at the payee's bank: that of the batch if there is one, otherwise the day if the
 * next step happened now (WHERE-4). Null if no money is under way.
 * @param request.usable_from the time before which nothing is paid to the payee's account.
 */
export function expectedBankDate(
  request: { status: DisbursementStatus; bank_date: string | null; usable_from?: Date | null },
  now: Date,
): string | null {
  switch (request.status) {
    case 'submitted':
      return addBankingDays(processingDay(now, CUT_OFF_HOUR), BANKING_DAYS_UNDER_WAY);
    case 'approved':
      return addBankingDays(processingDay(latest(now, request.usable_from), CUT_OFF_HOUR), BANKING_DAYS_UNDER_WAY);
    case 'batched':
      return request.bank_date ?? addBankingDays(processingDay(now, CUT_OFF_HOUR), BANKING_DAYS_UNDER_WAY);
    case 'paid':
      return request.bank_date;
    default:
      return null;
  }
}

function latest(now: Date, usable_from: Date | null | undefined): Date {
  return usable_from != null && usable_from > now ? usable_from : now;
}
