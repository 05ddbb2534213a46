import type pg from 'pg';

/**
 * What must hold after every step, however the steps came: each statement finds what breaks its rule.
 */
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
  'who asks for money does not approve it': `
    select id as found from disbursement_request
     where approver_id in (created_by, submitted_by) or approver_id = any(revised_by)`,
  'who makes a batch neither approves it nor hands it out': `
    select id as found from banking_batch where created_by in (approved_by, handed_out_by)`,
  'who records a deposit or a return file does not confirm it': `
    select id as found from cash_entry where status = 'confirmed' and decided_by = recorded_by
    union all select id from bank_return_file where status = 'applied' and decided_by = uploaded_by`,
  'money that was recorded counts once it is confirmed, once': `
    select c.id as found from cash_entry c
      left join (select cash_entry_id, count(*) as n from ledger_transaction group by 1) t on t.cash_entry_id = c.id
     where coalesce(t.n, 0) <> case when c.status = 'confirmed' then 1 else 0 end`,
};

/** What broke a rule: its name, and what it was found at. */
export async function findBroken(pool: Pick<pg.ClientBase, 'query'>): Promise<Record<string, number[]>> {
  const broken: Record<string, number[]> = {};
  for (const [rule, statement] of Object.entries(INVARIANTS)) {
    const { rows } = await pool.query<{ found: string }>(statement);
    if (rows.length > 0) broken[rule] = rows.map(({ found }) => Number(found));
  }
  return broken;
}

/** Requests whose money is set aside or gone, at an amount that nobody who tried to approve them had seen. */
export async function findUnseen(pool: pg.Pool, approved: ReadonlyMap<number, ReadonlySet<number>>): Promise<number[]> {
  const { rows } = await pool.query<{ id: string; amount_cents: string }>(
    `select id, amount_cents from disbursement_request where status in ('approved', 'batched', 'paid')`,
  );
  return rows
    .filter(({ id, amount_cents }) => approved.get(Number(id))?.has(Number(amount_cents)) !== true)
    .map(({ id }) => Number(id));
}
