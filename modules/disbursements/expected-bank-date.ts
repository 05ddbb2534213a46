import { addBankingDays, processingDay } from './banking-days.ts';
import type { DisbursementStatus } from './disbursement-states.ts';

/** Batches are made at this hour in New York; what is approved later goes with the next banking day's. */
export const CUT_OFF_HOUR = 14;
/** An ordinary ACH credit is there on the banking day after its batch. */
const BANKING_DAYS_UNDER_WAY = 1;

/**
 * The day, `YYYY-MM-DD`, on which the money is at the payee's bank: the batch's own where there is one, else the day if the
 * next step were taken now (decisions, section 8, 'Where is my money'). Null where no money is under way.
 */
export function expectedBankDate(
  request: { status: DisbursementStatus; bank_date: string | null },
  now: Date,
): string | null {
  switch (request.status) {
    case 'submitted':
    case 'approved':
      return addBankingDays(processingDay(now, CUT_OFF_HOUR), BANKING_DAYS_UNDER_WAY);
    case 'batched':
      return request.bank_date ?? addBankingDays(processingDay(now, CUT_OFF_HOUR), BANKING_DAYS_UNDER_WAY);
    case 'paid':
      return request.bank_date;
    default:
      return null;
  }
}
