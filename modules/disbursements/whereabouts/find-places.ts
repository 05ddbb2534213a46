import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { Place } from '@case-platform/words/whereabouts';
import type { DisbursementStatus } from '../disbursement-states.ts';
import { PAYMENT_FACTS, type PaymentFactsJson, toPaymentFacts } from '../payable/payment-facts.ts';
import { whyNotPayable } from '../payable/why-not-payable.ts';
import { BANK_HAS_IT } from './bank-has-it.ts';
import { type DraftAgain, placeOf } from './whereabouts.ts';

/** Finds the places of these requests, by id, without what depends on a reader. The caller has checked access to them. */
export async function findPlaces(db: Executor, ids: readonly number[], now: Date): Promise<ReadonlyMap<number, Place>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{
    id: number;
    status: DisbursementStatus;
    draft_again_because: DraftAgain | null;
    bank_has_it: boolean;
    facts: PaymentFactsJson;
  }>(
    db,
    sql`select d.id, d.status, d.draft_again_because, ${BANK_HAS_IT} as bank_has_it, ${PAYMENT_FACTS} as facts
          from disbursement_request d where d.id = any(${ids}::bigint[])`,
  );
  return new Map(
    rows.map(({ id, facts, ...row }) => {
      const problem = whyNotPayable(toPaymentFacts(facts), 'send', now)?.sentence ?? null;
      return [id, placeOf({ ...row, problem })];
    }),
  );
}
