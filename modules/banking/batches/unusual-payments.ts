import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { type UnusualFacts, type UnusualReason, whatIsUnusual } from './what-is-unusual.ts';

/**
 * Finds what is unusual about the payments of a batch, by request, for those who approve, sign, and release it (BATCH-11).
 * Payments without anything unusual are left out.
 */
export async function findUnusual(db: Executor, batchId: number, now: Date): Promise<Map<number, UnusualReason[]>> {
  const facts = await readUnusualFacts(db, batchId, now);
  const reasons = facts.map((payment) => [payment.disbursement_id, whatIsUnusual(payment, now)] as const);
  return new Map(reasons.filter(([, { length }]) => length > 0));
}

/** The facts about each payment in a batch. What is usual comes from the payments of the last year. */
function readUnusualFacts(db: Executor, batchId: number, now: Date): Promise<UnusualFacts[]> {
  return query<UnusualFacts>(
    db,
    sql`select e.disbursement_id, e.amount_cents, d.category, u.first_name, u.last_name, g.name as agency_name,
               a.holder_name, a.created_at as account_since,
               exists (select from payee_bank_account p where p.user_id = a.user_id and p.id < a.id) as had_other_account,
               exists (select from banking_batch_entry o join banking_batch b on b.id = o.batch_id
                        where o.bank_account_id = a.id and o.released_at is null and o.returned_at is null
                          and b.status in ('transmitted', 'settled')) as was_paid_before,
               (select percentile_disc(0.5) within group (order by o.amount_cents) from disbursement_request o
                 where o.payee_id = d.payee_id and o.status = 'paid' and o.paid_at > ${now}::timestamptz - interval '1 year'
                   and lower(o.category) = lower(d.category) having count(*) > 1) as usual_cents,
               (select o.description from disbursement_request o
                 where o.payee_id = d.payee_id and o.amount_cents = e.amount_cents and o.id <> d.id
                   and (o.status in ('approved', 'batched')
                        or o.status = 'paid' and o.paid_at > ${now}::timestamptz - interval '21 days')
                 order by o.id desc limit 1) as alike
          from banking_batch_entry e join disbursement_request d on d.id = e.disbursement_id
          join payee_bank_account a on a.id = e.bank_account_id join user_account u on u.id = a.user_id
          left join agency g on g.id = u.agency_id
         where e.batch_id = ${batchId} and e.released_at is null and e.returned_at is null order by e.disbursement_id`,
  );
}
