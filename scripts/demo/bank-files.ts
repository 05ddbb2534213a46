import { CUT_OFF_HOUR } from '@case-platform/modules/disbursements';
import { addBankingDays, isBankingDay, processingDay } from '@case-platform/words/bank-days';
import { ago, dayAgo } from './moments.ts';

/** When the demo's files go to the bank: every Wednesday, the last one yesterday, and two of today that are not sent yet. */

export interface BankFile {
  state: 'settled' | 'transmitted' | 'generated' | 'draft';
  /** Days before now. */
  made: number;
}

const WEDNESDAY = 3;
/** Early enough in the day for the bank to work on it. */
const NOON = 0.6;
/** Old enough for the bank to have paid it, whatever holidays come. */
const SETTLED_BEFORE = 7;
/** How many days ago the last file was made that the bank has paid. */
export const LAST_WEEKLY = NOON + firstFrom(SETTLED_BEFORE, isWednesday);
const AT_THE_BANK: BankFile = { state: 'transmitted', made: NOON + firstFrom(1, isBankingDay) };
const WAITING: BankFile[] = [
  { state: 'generated', made: 0.14 },
  { state: 'draft', made: 0.06 },
];
/** What is younger than this is in no batch yet. */
const GATHERED_BEFORE = 0.75;
/** Of the batches that wait, the older one takes what was decided before this. */
const FIRST_OF_TODAY = 1.1;

function isWednesday(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).getUTCDay() === WEDNESDAY;
}

function firstFrom(days: number, isRight: (day: string) => boolean): number {
  let found = days;
  while (!isRight(dayAgo(found))) found += 1;
  return found;
}

/** The file that takes up what was decided so many days ago; null for what none has taken up yet. */
export function batchAfter(decided: number): BankFile | null {
  if (decided > LAST_WEEKLY) {
    const weeks = Math.ceil((decided - LAST_WEEKLY) / 7) - 1;
    return { state: 'settled', made: LAST_WEEKLY + weeks * 7 };
  }
  if (decided > AT_THE_BANK.made) return AT_THE_BANK;
  if (decided < GATHERED_BEFORE) return null;
  return (decided > FIRST_OF_TODAY ? WAITING[0] : WAITING[1]) ?? null;
}

/** The day, YYYY-MM-DD, that a file made so many days ago names: its payments arrive then. */
export function bankDayFor(made: number): string {
  return addBankingDays(processingDay(ago(made), CUT_OFF_HOUR), 1);
}
