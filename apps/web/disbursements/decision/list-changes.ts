import { requestBenefitWords } from '@case-platform/words/benefits';
import { moneyWords } from '@case-platform/words/money';
import type { Disbursement } from '../../api/api-shapes.ts';

type Shown = Pick<Disbursement, 'amount_cents' | 'category' | 'description' | 'payee' | 'files' | 'status' | 'benefit'>;

/**
 * Describes in sentences how a disbursement differs from the version that a person saw. The version also changes with the
 * payee's bank account, which is not shown: if nothing else differs, the account has changed.
 */
export function listChanges(seen: Shown, now: Shown): string[] {
  const changes = [
    seen.amount_cents !== now.amount_cents &&
      `The amount was ${moneyWords(seen.amount_cents)}. It is ${moneyWords(now.amount_cents)} now.`,
    seen.payee.user_id !== now.payee.user_id && `The payee was ${seen.payee.name}. It is ${now.payee.name} now.`,
    seen.category !== now.category && `The category was “${seen.category}”. It is “${now.category}” now.`,
    seen.description !== now.description && `The description was “${seen.description}”. It is “${now.description}” now.`,
    (now.benefit?.over_by_cents ?? 0) > (seen.benefit?.over_by_cents ?? 0) && overWords(now),
    idsOf(seen) !== idsOf(now) && 'The receipts changed. Open them again.',
  ].filter((change) => change !== false);
  const isTakenBack = now.status === 'draft' || now.status === 'cancelled';
  if (isTakenBack) return [...changes, 'It was taken back, so there’s nothing to decide right now.'];
  return changes.length > 0 ? changes : [`${now.payee.name} has a different bank account now.`];
}

function idsOf({ files }: Pick<Shown, 'files'>): string {
  return files.map(({ id }) => id).join();
}

function overWords({ benefit }: Shown): string {
  return benefit === null
    ? ''
    : `It’s more than the contract allows for ${benefit.category} now: ${requestBenefitWords(benefit)}.`;
}
