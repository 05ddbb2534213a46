import type pg from 'pg';
import { TERMS } from './money-world.ts';

/** True if a record belongs to the same person as one of others. People may have several records with one address. */
const isOneOf = (record: string, others: string) => `exists (
  select from user_account one join user_account other on lower(other.email_address) = lower(one.email_address)
   where one.id = ${record} and other.id = any(${others}))`;

/** The rules that must hold after any sequence of steps. Each statement finds the rows that break its rule. */
export const INVARIANTS = {
  'the postings of a transaction sum to zero': `
    select transaction_id as found from ledger_posting group by transaction_id having sum(amount_cents) <> 0`,
  'every transaction has postings': `
    select t.id as found from ledger_transaction t where not exists (select from ledger_posting where transaction_id = t.id)`,
  'balances are what their postings sum up to': `
    select case_id as found from (
      (select case_id, account, amount_cents from ledger_balance where amount_cents <> 0
       except select case_id, account, sum(amount_cents) from ledger_posting group by case_id, account)
      union all
      (select case_id, account, sum(amount_cents) from ledger_posting group by case_id, account having sum(amount_cents) <> 0
       except select case_id, account, amount_cents from ledger_balance)) differing`,
  'no case is overdrawn, in any of its accounts': `
    select case_id as found from ledger_balance
     where case account when 'cash' then amount_cents < 0 else amount_cents > 0 end`,
  'what is set aside is what was approved and is not paid': `
    select d.id as found from disbursement_request d
      left join (select disbursement_id, sum(-p.amount_cents) as held from ledger_transaction t
                   join ledger_posting p on p.transaction_id = t.id and p.account = 'held'
                  group by disbursement_id) h on h.disbursement_id = d.id
     where coalesce(h.held, 0) <> case when d.status in ('approved', 'batched') then d.amount_cents else 0 end`,
  'a request is paid once, and exactly while it says so': `
    select d.id as found from disbursement_request d
      left join (select disbursement_id, sum(-p.amount_cents) as paid from ledger_transaction t
                   join ledger_posting p on p.transaction_id = t.id and p.account = 'cash'
                  where t.disbursement_id is not null group by disbursement_id) c on c.disbursement_id = d.id
     where coalesce(c.paid, 0) <> case when d.status = 'paid' then d.amount_cents else 0 end`,
  'a request lies in at most one batch that may still be paid': `
    select disbursement_id as found from banking_batch_entry where released_at is null and returned_at is null
     group by disbursement_id having count(*) > 1`,
  'the bank has each request once at most that has not come back': `
    select e.disbursement_id as found from banking_batch_entry e join banking_batch b on b.id = e.batch_id
     where b.status in ('outcome_unknown', 'transmitted', 'settled') and e.released_at is null and e.returned_at is null
     group by e.disbursement_id having count(*) > 1`,
  'a batch pays what was approved, and says its sum': `
    select b.id as found from banking_batch b
      left join (select e.batch_id, count(*) as n, sum(e.amount_cents) as cents,
                        bool_or(e.amount_cents <> d.amount_cents and e.returned_at is null) as is_other
                   from banking_batch_entry e join disbursement_request d on d.id = e.disbursement_id
                  where e.released_at is null group by e.batch_id) own on own.batch_id = b.id
     where b.status <> 'cancelled'
       and (b.entry_count <> coalesce(own.n, 0) or b.total_cents <> coalesce(own.cents, 0) or own.is_other)`,
  'whoever approves more than the contract allows says why': `
    select subject_id as found from audit_entry
     where action = 'disbursement.approve' and after ? 'over_by_cents' and not after ? 'reason'`,
  'who asks for money or is paid does not decide about it': `
    select d.id as found from disbursement_request d
     where ${isOneOf('d.approver_id', 'array[d.created_by, d.submitted_by, d.payee_id] || d.revised_by')}`,
  'a request waits for somebody who may still decide': `
    select d.id as found from disbursement_request d join user_account u on u.id = d.approver_id
     where d.status = 'submitted' and u.user_type <> 'admin' and (u.status <> 'active' or not exists (
       select from case_participant p where p.case_id = d.case_id and p.user_id = u.id and p.left_at is null))`,
  'who makes a batch neither approves it nor hands it out': `
    select id as found from banking_batch b
     where ${isOneOf('b.approved_by', 'array[b.created_by]')} or ${isOneOf('b.handed_out_by', 'array[b.created_by]')}`,
  'who records a deposit or a return file does not confirm it': `
    select id as found from cash_entry c where status = 'confirmed' and ${isOneOf('c.decided_by', 'array[c.recorded_by]')}
    union all
    select id from bank_return_file f where status = 'applied' and ${isOneOf('f.decided_by', 'array[f.uploaded_by]')}`,
  'an approved request waits to be paid to the account that it was approved for': `
    select d.id as found from disbursement_request d
      left join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
     where d.status = 'approved' and d.approved_account_id is distinct from a.id
    union all
    select d.id from disbursement_request d join banking_batch_entry e on e.disbursement_id = d.id
     where d.status = 'batched' and e.released_at is null and e.returned_at is null
       and d.approved_account_id <> e.bank_account_id`,
  'the bank pays into the account that was there when it was approved or paid again': `
    select e.disbursement_id as found from banking_batch_entry e join banking_batch b on b.id = e.batch_id
      join payee_bank_account a on a.id = e.bank_account_id
     where b.file is not null and e.released_at is null and a.created_at > (
       select max(happened_at) from audit_entry l where l.subject_type = 'disbursement' and l.subject_id = e.disbursement_id
          and l.action in ('disbursement.approve', 'disbursement.retry'))`,
  'a request that is a draft again says why, and no other one does': `
    select d.id as found from disbursement_request d
     where d.draft_again_because is not null and d.status not in ('draft', 'cancelled')
        or d.draft_again_because is null and d.status = 'draft' and exists (
          select from audit_entry l
           where l.subject_type = 'disbursement' and l.subject_id = d.id and l.action = 'disbursement.submit')`,
  'a day that moved has its reason': `
    select id as found from disbursement_request where promised_before is not null and moved_because is null`,
  'the move of a day is announced once': `
    select (move ->> 'disbursement_id')::bigint as found from (
      select move, lag(move) over (partition by move ->> 'disbursement_id' order by j.id) as before
        from graphile_worker._private_jobs j join graphile_worker._private_tasks k on k.id = j.task_id
       cross join lateral jsonb_array_elements(j.payload::jsonb -> 'moves') move
       where k.identifier in ('mail_moved_dates', 'mail_stopped_payments')) moved where move = before`,
  'the calendar is paid once, and exactly while it says so': `
    select s.id as found from scheduled_payment s
      left join (select scheduled_payment_id, count(*) as n, count(*) filter (where status = 'paid') as paid
                   from disbursement_request where status not in ('draft', 'denied', 'cancelled', 'returned', 'ended') group by 1) d
             on d.scheduled_payment_id = s.id
     where coalesce(d.n, 0) > 1 or coalesce(d.paid, 0) <> case when s.status = 'paid' then 1 else 0 end
        or s.status = 'cancelled' and coalesce(d.n, 0) > 0`,
  'a request pays a line of its own case, payee, and category': `
    select d.id as found from disbursement_request d join scheduled_payment s on s.id = d.scheduled_payment_id
     where d.status in ('submitted', 'approved', 'batched', 'paid')
       and (s.case_id <> d.case_id or s.category <> d.category or s.payee_id <> d.payee_id)`,
  'a case that ended holds no money, unless a payment came back': `
    select c.id as found from case_file c
     where c.status in ('closed', 'cancelled')
       and exists (select from ledger_balance b where b.case_id = c.id and b.account <> 'cash' and b.amount_cents <> 0)
       and not exists (select from ledger_transaction t where t.case_id = c.id and t.kind = 'return')`,
  'money that was recorded counts once it is confirmed, once': `
    select c.id as found from cash_entry c
      left join (select cash_entry_id, count(*) as n from ledger_transaction group by 1) t on t.cash_entry_id = c.id
     where coalesce(t.n, 0) <> case when c.status = 'confirmed' then 1 else 0 end`,
};

/** All rules as one statement, which a connection plans only once. */
const ALL = {
  name: 'invariants',
  text: Object.entries(INVARIANTS)
    .map(([rule, statement]) => `select '${rule}' as rule, broken.found::text from (${statement}) broken`)
    .join('\nunion all '),
};

/** Returns the rules that are broken, each with the ids of the rows. */
export async function findBroken(pool: Pick<pg.ClientBase, 'query'>): Promise<Record<string, number[]>> {
  const { rows } = await pool.query<{ rule: string; found: string }>(ALL);
  const broken: Record<string, number[]> = {};
  for (const { rule, found } of rows) broken[rule] = [...(broken[rule] ?? []), Number(found)];
  return broken;
}

/** Lists requests whose money is reserved or gone without an approver who had seen their terms. */
export async function findUnseen(pool: pg.Pool, approved: ReadonlyMap<number, ReadonlySet<string>>): Promise<number[]> {
  const { rows } = await pool.query<{ id: string; terms: string }>(
    `select d.id, ${TERMS} as terms from disbursement_request d where d.status in ('approved', 'batched', 'paid', 'returned', 'ended')`,
  );
  return rows.filter(({ id, terms }) => approved.get(Number(id))?.has(terms) !== true).map(({ id }) => Number(id));
}
