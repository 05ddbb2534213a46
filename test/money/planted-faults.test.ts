import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { CASE_1 } from '../support/cast.ts';
import { serverUrl } from '../support/database.ts';
import { bringTo, fundCase } from '../support/money.ts';
import { startApi } from '../support/platform.ts';
import { findBroken, type INVARIANTS } from './money-invariants.ts';

const api = await startApi();
await fundCase(api, CASE_1, 900_000_00);
const { surrogate: maker, parent: checker } = await api.everyone();
for (const status of ['submitted', 'approved', 'approved', 'batched', 'paid', 'returned'] as const)
  await bringTo(api, { maker, checker }, status);
assert.deepEqual(await findBroken(api.pool), {});

const BATCH = `with b as (insert into banking_batch (status, created_by, approved_by, handed_out_by, entry_count, total_cents,
                                file, file_sha256, file_day, file_id_modifier, effective_date)
    select 'transmitted', 1, 2, 3, 1, d.amount_cents, 'x', decode(repeat('00', 32), 'hex'), '2026-11-23', modifier, '2026-11-24'
      from disbursement_request d, unnest(array['A', 'B']) modifier where d.status = 'batched' returning id)
  insert into banking_batch_entry (batch_id, disbursement_id, bank_account_id, amount_cents)
  select b.id, d.id, 1, d.amount_cents from b, disbursement_request d where d.status = 'batched'`;

/** Each fault breaks one rule, and may break others as a consequence. */
const FAULTS: Record<keyof typeof INVARIANTS, string> = {
  'the postings of a transaction sum to zero': `
    insert into ledger_posting select id, case_id, 'held', 1 from ledger_transaction where kind = 'deposit'`,
  'every transaction has postings': `insert into ledger_transaction (case_id, kind) values (1, 'deposit')`,
  'balances are what their postings sum up to': `
    update ledger_balance set amount_cents = amount_cents + 1 where account = 'cash'`,
  'no case is overdrawn, in any of its accounts': `update ledger_balance set amount_cents = 1 where account = 'held'`,
  'what is set aside is what was approved and is not paid': `
    update disbursement_request set amount_cents = amount_cents + 1 where status = 'approved'`,
  'a request is paid once, and exactly while it says so': `
    with again as (insert into ledger_transaction (case_id, kind, disbursement_id)
                   select case_id, 'payment', id from disbursement_request where status = 'paid' returning id, case_id)
    insert into ledger_posting select id, case_id, account, cents from again, (values ('cash', -12500), ('held', 12500)) p (account, cents)`,
  'a request lies in at most one batch that may still be paid': `
    drop index banking_batch_entry_live_idx; ${BATCH}; update banking_batch set status = 'generated'`,
  'the bank has each request once at most that has not come back': `drop index banking_batch_entry_live_idx; ${BATCH}`,
  'a batch pays what was approved, and says its sum': `
    insert into banking_batch (created_by, entry_count, total_cents) values (1, 1, 100)`,
  'whoever approves more than the contract allows says why': `
    update audit_entry set after = '{"over_by_cents": 1}' where action = 'disbursement.approve'`,
  'who asks for money or is paid does not decide about it': `
    alter table disbursement_request drop constraint maker_is_never_checker;
    update disbursement_request set approver_id = payee_id where status = 'approved'`,
  'a request waits for somebody who may still decide': `
    update case_participant p set left_at = now() from disbursement_request d
     where d.status = 'submitted' and p.user_id = d.approver_id`,
  'who makes a batch neither approves it nor hands it out': `
    alter table banking_batch drop constraint maker_never_approves;
    insert into banking_batch (status, created_by, approved_by, entry_count, total_cents) values ('approved', 1, 1, 0, 0)`,
  'an approved request waits to be paid to the account that it was approved for': `
    insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind,
                                    created_by, usable_from)
    select distinct payee_id, 'Sam', 'person', '021000021', 'x'::bytea, '1234', 'checking', payee_id, now()
      from disbursement_request where status = 'approved'`,
  'the bank pays into the account that was there when it was approved or paid again': `
    insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind,
                                    created_by, created_at, usable_from)
    select payee_id, 'Sam', 'person', '021000021', 'x', '1234', 'checking', payee_id, now() + interval '1 day', now() + interval '2 days'
      from disbursement_request where status = 'batched';
    drop index banking_batch_entry_live_idx;
    ${BATCH}; update banking_batch_entry set bank_account_id = (select max(id) from payee_bank_account)`,
  'a request that is a draft again says why, and no other one does': `
    update disbursement_request set draft_again_because = 'changed' where status = 'approved'`,
  'a day that moved has its reason': `update disbursement_request set promised_before = '2026-11-24', moved_because = null`,
  'the move of a day is announced once': `
    insert into graphile_worker._private_tasks (identifier) values ('mail_moved_dates') on conflict do nothing;
    insert into graphile_worker._private_jobs (task_id, payload)
    select id, '{"moves": [{"disbursement_id": 1, "to": "2026-11-24"}]}' from graphile_worker._private_tasks, generate_series(1, 2)
     where identifier = 'mail_moved_dates'`,
  'the calendar is paid once, and exactly while it says so': `
    insert into scheduled_payment (case_id, category, description, due_date, amount_cents, status, paid_at)
    values (1, 'Travel', '', '2026-12-01', 12500, 'paid', now())`,
  'a request pays a line of its own case, payee, and category': `
    insert into scheduled_payment (case_id, category, description, due_date, amount_cents, payee_id)
    select 1, category, '', '2026-12-01', 12500, approver_id from disbursement_request where status = 'approved' limit 1;
    update disbursement_request set scheduled_payment_id = (select max(id) from scheduled_payment)
     where id = (select min(id) from disbursement_request where status = 'approved')`,
  'a case that ended holds no money, unless a payment came back': `
    insert into cash_entry (case_id, kind, amount_cents, memo, recorded_by) values (2, 'deposit', 1, '', 1);
    insert into ledger_balance (case_id, account, amount_cents) values (2, 'funds', -1)
      on conflict (case_id, account) do update set amount_cents = -1;
    update case_file set status = 'closed' where id = 2`,
  'who records a deposit or a return file does not confirm it': `update cash_entry set decided_by = recorded_by`,
  'money that was recorded counts once it is confirmed, once': `
    update cash_entry set status = 'waiting', decided_by = null, decided_at = null`,
};

for (const [rule, fault] of Object.entries(FAULTS)) {
  test(`[LEDGER-3] the simulator notices when this no longer holds: ${rule}`, async () => {
    const broken = await findBrokenBy(fault);
    assert.ok(rule in broken, `found ${JSON.stringify(broken)}`);
    assert.deepEqual(await findBroken(api.pool), {});
  });
}

/** Applies a fault without triggers, as only the owner of the server can, and rolls it back. */
async function findBrokenBy(fault: string): Promise<Record<string, number[]>> {
  const owner = new pg.Client({ connectionString: serverUrl(new URL(api.url).pathname.slice(1)) });
  await owner.connect();
  try {
    await owner.query('begin; set local session_replication_role = replica');
    await owner.query(fault);
    return await findBroken(owner);
  } finally {
    await owner.end();
  }
}
