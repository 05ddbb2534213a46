import type { Transaction } from '@case-platform/lib/database';
import { ChangedError, invalid } from '@case-platform/lib/errors';
import { isBlank } from '@case-platform/lib/text/human-text';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { moneyWords } from '@case-platform/words/money';
import type { LockedDisbursement } from '../lock-disbursement.ts';
import { listRequestBenefits } from './request-benefits.ts';

/**
 * The contract limit is not part of a request's version, because every request of a case changes how much of it is left. It is
 * read while the case is locked, so that two requests that exceed it together do not miss each other. Only a larger excess than
 * was seen counts as a change (CONTRACT-4).
 * @returns the excess in cents, if there is one, for the audit log.
 * @throws {ChangedError} for a larger excess than was seen. @throws {InvalidInputError} `reason`, without one.
 */
export async function requireReasonOverBenefit(
  tx: Transaction,
  { id }: LockedDisbursement,
  seen: { over_by_cents?: number | undefined; reason?: string | undefined; by: ChangedByUser },
  now: Date,
): Promise<{ over_by_cents?: number }> {
  const benefit = (await listRequestBenefits(tx, seen.by.actor, [id], now)).get(id);
  if (benefit === undefined || benefit.over_by_cents === 0) return {};
  const { category, over_by_cents } = benefit;
  const over = `This goes ${moneyWords(over_by_cents)} over what the contract allows for ${category}.`;
  if (seen.over_by_cents !== undefined && seen.over_by_cents < over_by_cents)
    throw new ChangedError(`${over} Look at it again, then decide.`);
  if (seen.reason === undefined || isBlank(seen.reason)) throw invalid('reason', `${over} Say why you approve it.`);
  return { over_by_cents };
}
