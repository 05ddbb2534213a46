import { CUT_OFF_HOUR } from '@case-platform/modules/disbursements';
import { addBankingDays, bankDayOf, processingDay } from '@case-platform/words/bank-days';

/** The banking day (YYYY-MM-DD) that a file made now names: the one after its processing day, or for a same-day file that day. */
export function effectiveDate(now: Date, same_day: boolean): string {
  return addBankingDays(processingDay(now, CUT_OFF_HOUR), same_day ? 0 : 1);
}

/** True from the day that a file names, in the bank's time zone. */
export function isBankDay(effective_date: string, now: Date): boolean {
  return bankDayOf(now) >= effective_date;
}

/** True while the bank can still pay on the named day: a file has to arrive the day before, and a same-day file on that day. */
export function canStillSettle(effective_date: string, same_day: boolean, now: Date): boolean {
  return same_day ? bankDayOf(now) <= effective_date : bankDayOf(now) < effective_date;
}
