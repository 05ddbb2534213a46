import { CUT_OFF_HOUR } from '@case-platform/modules/disbursements';
import { addBankingDays, bankDayOf, processingDay } from '@case-platform/words/bank-days';

/** The banking day, YYYY-MM-DD, that a file made now names: the next one after it is worked on, or that same day. */
export function effectiveDate(now: Date, same_day: boolean): string {
  return addBankingDays(processingDay(now, CUT_OFF_HOUR), same_day ? 0 : 1);
}

/** Whether the day that a file names has come at the bank. */
export function isBankDay(effective_date: string, now: Date): boolean {
  return bankDayOf(now) >= effective_date;
}

/** True while the bank can still keep the date that a file names: it has the file the day before, or on a same day. */
export function canStillSettle(effective_date: string, same_day: boolean, now: Date): boolean {
  return same_day ? bankDayOf(now) <= effective_date : bankDayOf(now) < effective_date;
}
