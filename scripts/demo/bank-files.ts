import { CUT_OFF_HOUR } from '@case-platform/modules/disbursements';
import { addBankingDays, isBankingDay, processingDay } from '@case-platform/words/bank-days';
import { ago, dayAgo } from './moments.ts';

/** The files of the demo: one every Wednesday, the latest one yesterday, and two batches of today that were not sent yet. */

export interface BankFile {
  state: 'settled' | 'transmitted' | 'generated' | 'draft';
  /** Days before now. */
  made: number;
}

const WEDNESDAY = 3;
/** Early enough for the bank to process it on the same day. */
const NOON = 0.6;
/** Days after which the bank has paid a file, even with holidays in between. */
const SETTLED_BEFORE = 7;
/** The age in days of the latest file that the bank has paid. */
export const LAST_WEEKLY = NOON + firstFrom(SETTLED_BEFORE, isWednesday);
const AT_THE_BANK: BankFile = { state: 'transmitted', made: NOON + firstFrom(1, isBankingDay) };
const WAITING: BankFile[] = [
  { state: 'generated', made: 0.14 },
  { state: 'draft', made: 0.06 },
];
/** Requests that were decided more recently than this are in no batch yet. */
const GATHERED_BEFORE = 0.75;
/** Of the two waiting batches, the older one has the requests that were decided before this. */
const FIRST_OF_TODAY = 1.1;

function isWednesday(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).getUTCDay() === WEDNESDAY;
}

function firstFrom(days: number, isRight: (day: string) => boolean): number {
  let age = days;
  while (!isRight(dayAgo(age))) age += 1;
  return age;
}

/** The file with the requests that were decided this many days ago; null if they are in no file yet. */
export function batchAfter(decided: number): BankFile | null {
  if (decided > LAST_WEEKLY) {
    const weeks = Math.ceil((decided - LAST_WEEKLY) / 7) - 1;
    return { state: 'settled', made: LAST_WEEKLY + weeks * 7 };
  }
  if (decided > AT_THE_BANK.made) return AT_THE_BANK;
  if (decided < GATHERED_BEFORE) return null;
  return (decided > FIRST_OF_TODAY ? WAITING[0] : WAITING[1]) ?? null;
}

/** The day (YYYY-MM-DD) on which the payments of a file of this age arrive. */
export function bankDayFor(made: number): string {
  return addBankingDays(processingDay(ago(made), CUT_OFF_HOUR), 1);
}
