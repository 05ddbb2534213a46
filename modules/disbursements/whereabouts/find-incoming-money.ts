import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { type Place, placeInWords } from '@case-platform/words/whereabouts';
import { disbursementIsVisible } from '../disbursement-access.ts';
import type { DisbursementStatus } from '../disbursement-states.ts';
import type { Viewer } from '../list-disbursements.ts';
import { PAYMENT_FACTS, type PaymentFactsJson, toPaymentFacts } from '../payable/payment-facts.ts';
import { whyNotPayable } from '../payable/why-not-payable.ts';
import { BANK_HAS_IT } from './bank-has-it.ts';
import { placeOf } from './whereabouts.ts';

/** Requests that will be paid to a person, by where they are (HOME-3). */
export interface IncomingMoney {
  /** The sum of what is approved and not paid yet, without what still waits for approval. */
  on_its_way_cents: number;
  /** One part for each place where there is money, closest to the payee first. */
  parts: IncomingPart[];
  /** The payee's next step with their bank account before all of it can be sent. */
  account: 'add' | 'replace' | null;
}

interface IncomingPart {
  state: Place;
  label: string;
  count: number;
  amount_cents: number;
  /** The part of it that cannot be sent for now, for example because its batch pays a closed account. */
  stopped_cents: number;
}

interface Row {
  status: DisbursementStatus;
  bank_has_it: boolean;
  facts: Omit<PaymentFactsJson, 'disbursement_id'>;
  count: number;
  amount_cents: number;
}

/** The place closest to the payee comes first. */
const PLACES: readonly Place[] = ['at_the_bank', 'being_sent', 'approved', 'on_hold', 'waiting_for_approval'];

/** Sums up the open requests that pay a person. Those with equal facts are one row, so that a sum is exact for any number. */
export async function findIncomingMoney(db: Executor, payee: Viewer, now: Date): Promise<IncomingMoney> {
  const rows = await query<Row>(
    db,
    sql`select r.status, r.bank_has_it, r.facts, count(*)::int as count, sum(r.amount_cents)::bigint as amount_cents
          from (select d.status, d.amount_cents, ${BANK_HAS_IT} as bank_has_it,
                       (${PAYMENT_FACTS})::jsonb - 'disbursement_id' as facts
                  from disbursement_request d join case_file c on c.id = d.case_id
                 where d.payee_id = ${payee.id} and d.status in ('submitted', 'approved', 'batched')
                   and ${disbursementIsVisible(payee)}) r
         group by r.status, r.bank_has_it, r.facts`,
  );
  const places = rows.map((row) => ({ ...row, reason: reasonOf(row, now) })).map((row) => ({ ...row, state: stateOf(row) }));
  const parts = PLACES.map((state) => partOf(state, places)).filter(({ count }) => count > 0);
  const onItsWay = parts.filter(({ state }) => state !== 'waiting_for_approval');
  const reasons = places.map(({ reason }) => reason);
  return {
    on_its_way_cents: sumOf(onItsWay),
    parts,
    account: reasons.includes('no_account') ? 'add' : reasons.includes('account_closed') ? 'replace' : null,
  };
}

function reasonOf({ facts }: Row, now: Date) {
  return whyNotPayable(toPaymentFacts({ ...facts, disbursement_id: 0 }), 'send', now)?.reason ?? null;
}

function stateOf({ status, bank_has_it, reason }: Row & { reason: string | null }): Place {
  return placeOf({ status, bank_has_it, problem: reason, draft_again_because: null });
}

function partOf(state: Place, rows: readonly (Row & { state: Place; reason: string | null })[]): IncomingPart {
  const own = rows.filter((row) => row.state === state);
  const count = own.reduce((sum, row) => sum + row.count, 0);
  const stopped_cents = sumOf(own.filter(({ reason }) => reason !== null));
  return { state, label: placeInWords(state).label, count, amount_cents: sumOf(own), stopped_cents };
}

function sumOf(rows: readonly { amount_cents: number }[]): number {
  return rows.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
}
