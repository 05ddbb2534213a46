import { bankDayOf } from '@case-platform/words/bank-days';
import { longDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { toAchText } from '../nacha/ach-text.ts';

/** The facts that decide what is unusual about a payment in a batch, read by `findUnusual`. */
export interface UnusualFacts {
  disbursement_id: number;
  amount_cents: number;
  category: string;
  first_name: string;
  last_name: string;
  /** The name of the payee's agency, which may hold the account; null for people without one. */
  agency_name: string | null;
  holder_name: string;
  account_since: Date;
  /** True if the payee was paid to another account before this one. */
  had_other_account: boolean;
  /** True if a payment to this account has reached the bank and was not returned. */
  was_paid_before: boolean;
  /** The median of the payments to this person in this category in the last year; null with fewer than two. */
  usual_cents: number | null;
  /** The description of another request of the same person for the same amount that is being paid or was paid lately. */
  alike: string | null;
}

export type UnusualKind = keyof typeof UNUSUAL;

/** Something that people check before they approve, sign, or release a batch. */
export interface UnusualReason {
  kind: UnusualKind;
  sentence: string;
}

const RECENT_MS = 30 * 24 * 3_600_000;
/** An amount is above the usual one from this multiple on. */
const TIMES_USUAL = 2;

/** Everything that counts as unusual, in the order in which people read it. Each returns a sentence, or null if it does not apply. */
const UNUSUAL = {
  account_changed: ({ account_since, had_other_account }, now) =>
    had_other_account && now.getTime() - account_since.getTime() < RECENT_MS
      ? `The bank account was changed on ${longDayWords(bankDayOf(account_since))}.`
      : null,
  first_payment: ({ was_paid_before }) => (was_paid_before ? null : 'First payment to this account.'),
  other_holder: ({ first_name, last_name, agency_name, holder_name }) => {
    const name = `${first_name} ${last_name}`.trim();
    const isOwn = [name, agency_name ?? ''].some((owner) => owner !== '' && isNamed(holder_name, owner));
    return isOwn ? null : `The account holder is ${holder_name}, not ${name}.`;
  },
  above_usual: ({ amount_cents, category, usual_cents }) =>
    usual_cents !== null && amount_cents > usual_cents * TIMES_USUAL
      ? `More than twice the usual ${moneyWords(usual_cents)} for ${category}.`
      : null,
  alike: ({ amount_cents, alike }) =>
    alike === null ? null : `Another payment of ${moneyWords(amount_cents)} to the same person: ${alike}.`,
} as const satisfies Record<string, (facts: UnusualFacts, now: Date) => string | null>;

/** Reasons about the account, which all payments to it share. The others are about one payment. */
export const ABOUT_THE_ACCOUNT: readonly UnusualKind[] = ['account_changed', 'first_payment', 'other_holder'];

export const UNUSUAL_KINDS = Object.keys(UNUSUAL) as UnusualKind[];

/** Lists what is unusual about a payment (BATCH-11). */
export function whatIsUnusual(facts: UnusualFacts, now: Date): UnusualReason[] {
  return UNUSUAL_KINDS.flatMap((kind) => {
    const sentence = UNUSUAL[kind](facts, now);
    return sentence === null ? [] : [{ kind, sentence }];
  });
}

/** True if a holder has every word of this name, in any order; "Lindgren, Sarah M." is Sarah Lindgren. */
function isNamed(holder: string, name: string): boolean {
  const [words, wanted] = [new Set(wordsOf(holder)), wordsOf(name)];
  return wanted.length > 0 && wanted.every((word) => words.has(word));
}

/** The words as the bank's file spells them, so that accents and punctuation make no difference. */
function wordsOf(name: string): string[] {
  return (
    toAchText(name)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  );
}
