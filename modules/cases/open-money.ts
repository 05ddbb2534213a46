import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';

export interface OpenMoney {
  kind: 'submitted' | 'approved' | 'batched' | 'deposit' | 'refund' | 'available' | 'held';
  count: number;
  amount_cents: number;
}

/**
 * Lists the money that must be dealt with before a case can end (CASE-6), in the order of the work: requests from submission
 * until they are paid, deposits and refunds that wait for a second person, and the case's balance. A returned payment is part of
 * the balance. Drafts and planned payments end with the case, so they do not count.
 */
export async function listOpenMoney(db: Executor, caseId: number): Promise<OpenMoney[]> {
  return query<OpenMoney>(
    db,
    sql`select o.kind, o.count, o.amount_cents from (
          select d.status as kind, count(*)::int as count, sum(d.amount_cents)::bigint as amount_cents
            from disbursement_request d
           where d.case_id = ${caseId} and d.status in ('submitted', 'approved', 'batched') group by d.status
          union all
          select e.kind, count(*)::int, sum(e.amount_cents)::bigint
            from cash_entry e where e.case_id = ${caseId} and e.status = 'waiting' group by e.kind
          union all
          select case b.account when 'funds' then 'available' else 'held' end, 1, -sum(b.amount_cents)::bigint
            from ledger_balance b where b.case_id = ${caseId} and b.account in ('funds', 'held')
           group by b.account having sum(b.amount_cents) <> 0) o
         where o.kind <> 'held' or not exists (
           select from disbursement_request d where d.case_id = ${caseId} and d.status in ('approved', 'batched'))
         order by array_position(
           array['submitted', 'approved', 'batched', 'deposit', 'refund', 'available', 'held'], o.kind)`,
  );
}

const WORDS: Record<OpenMoney['kind'], (count: number, amount: string) => string> = {
  submitted: (count, amount) =>
    `${counted(count, 'request is', 'requests are')} waiting for approval (${amount}). Approve or deny ${themFor(count)}.`,
  approved: (count, amount) =>
    `${counted(count, 'approved request isn’t', 'approved requests aren’t')} paid yet (${amount}). Pay ${themFor(count)}, or edit and cancel ${themFor(count)}.`,
  batched: (count, amount) =>
    `${counted(count, 'payment is', 'payments are')} on the way to the bank (${amount}). Wait until the bank has paid.`,
  deposit: (count, amount) =>
    `${counted(count, 'deposit is', 'deposits are')} waiting to be confirmed (${amount}). Confirm or refuse ${themFor(count)}.`,
  refund: (count, amount) =>
    `${counted(count, 'refund is', 'refunds are')} waiting to be confirmed (${amount}). Confirm or refuse ${themFor(count)}.`,
  available: (_, amount) => `The case still has ${amount}. Refund it to the parents.`,
  held: (_, amount) => `${amount} is set aside.`,
};

const themFor = (count: number) => (count === 1 ? 'it' : 'them');

/** Describes it in one or two sentences. */
export function openMoneyWords({ kind, count, amount_cents }: OpenMoney): string {
  return WORDS[kind](count, moneyWords(amount_cents));
}
