import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_STATUSES } from '@case-platform/modules/cases';
import { DISBURSEMENT_STATUSES } from '@case-platform/modules/disbursements';
import { createTestDatabase, TEST_SECRETS } from '../../test/support/database.ts';
import { seedLives } from './seed-demo.ts';

const { db, pool } = await createTestDatabase();
const rowsOf = async <Row>(statement: string) => (await pool.query(statement)).rows as Row[];
const caseIds = (await rowsOf<{ id: string }>('select id from case_file order by id')).map(({ id }) => Number(id));
const { encryptionKey } = TEST_SECRETS;
// The demo brings its own contract limits.
await pool.query('delete from case_benefit');
await db.transaction((tx) => seedLives(tx, { storage: null, encryptionKey, caseIds }));

test('[DEMO-2] the demo has about thirty cases of four agencies, in every state', async () => {
  const cases = await rowsOf<{ status: string; agency_id: string | null }>('select status, agency_id from case_file');
  assert.ok(cases.length >= 30);
  assert.deepEqual(new Set(cases.map(({ status }) => status)), new Set(CASE_STATUSES));
  assert.equal(new Set(cases.map(({ agency_id }) => agency_id)).size, 5, 'four agencies, and none');
});

test('[DEMO-2] the demo has requests in every state: changed, sent back, paid again, and in batches of every kind', async () => {
  const requests = await rowsOf<{ status: string }>('select distinct status from disbursement_request');
  assert.deepEqual(new Set(requests.map(({ status }) => status)), new Set(DISBURSEMENT_STATUSES));
  const steps = await rowsOf<{ action: string }>('select distinct action from audit_entry');
  for (const action of ['disbursement.revise', 'disbursement.return', 'disbursement.retry'])
    assert.ok(
      steps.some((step) => step.action === action),
      action,
    );
  const batches = await rowsOf<{ status: string }>('select distinct status from banking_batch');
  assert.deepEqual(batches.map(({ status }) => status).sort(), ['draft', 'generated', 'settled', 'transmitted']);
});

test('[DEMO-2] the books are right: no balance was ever below zero, and ended cases have no money left', async () => {
  const sums = await rowsOf('select case_id from ledger_posting group by case_id having sum(amount_cents) <> 0');
  assert.deepEqual(sums, []);
  const below = await rowsOf(`
    select case_id, account, running from (
      select p.case_id, p.account, sum(case p.account when 'cash' then p.amount_cents else -p.amount_cents end)
               over (partition by p.case_id, p.account order by t.created_at, t.id) as running
        from ledger_posting p join ledger_transaction t on t.id = p.transaction_id) history
     where running < 0`);
  assert.deepEqual(below, []);
  const rows = await rowsOf(`
    select c.id from case_file c join ledger_balance b on b.case_id = c.id
     where c.status in ('closed', 'cancelled') and b.amount_cents <> 0`);
  assert.deepEqual(rows, [], 'ended cases have no money left');
});

test('[DEMO-2] nothing happens before it can: no milestone before the case, no message before its author', async () => {
  const early = [
    'select m.id from case_milestone m join case_file c on c.id = m.case_id where m.happened_on < c.created_at::date',
    'select m.id from case_milestone m where m.happened_on > current_date',
    `select m.id from message m join message_chain h on h.id = m.chain_id
       join case_participant p on p.case_id = h.case_id and p.user_id = m.from_id where m.created_at < p.joined_at`,
    'select m.id from message m join user_account u on u.id = m.from_id where m.created_at < u.created_at',
    'select m.id from message m where m.created_at > now()',
    'select d.id from disbursement_request d join case_file c on c.id = d.case_id where d.created_at < c.created_at',
    'select a.id from audit_entry a where a.happened_at > now()',
    `select a.id, a.action from audit_entry a join audit_entry b on b.subject_id = a.subject_id and b.subject_type = 'disbursement'
      where a.action = 'disbursement.approve' and b.action = 'disbursement.batch' and b.happened_at < a.happened_at`,
    `select p.id from message m join message p on p.chain_id = m.chain_id and p.id > m.id and p.created_at < m.created_at`,
  ];
  for (const statement of early) assert.deepEqual(await rowsOf(statement), [], statement);
});

test('[DEMO-3] every address is for tests or examples, so no mail can be delivered', async () => {
  const real = await rowsOf(
    `select email_address from user_account where email_address !~ '@([a-z]+\\.)?(demo\\.test|example)$'`,
  );
  assert.deepEqual(real, []);
  const named = await rowsOf<{ first_name: string }>('select distinct first_name from user_account');
  assert.ok(named.length > 60, 'names that can be told apart');
});

test('[DEMO-2] the demo shows a case that falls short, a case without an owner, and people who wait for an answer', async () => {
  const [counts] = await rowsOf<Record<string, number>>(`
    select (select count(*)::int from case_file where escrow_specialist_id is null) as unowned,
           (select count(*)::int from message_chain where assigned_admin_id is null) as unassigned,
           (select count(distinct chain_id)::int from message where to_admin and admin_viewed is null) as unanswered,
           (select count(*)::int from cash_entry where status = 'waiting') as wires,
           (select count(*)::int from scheduled_payment where status = 'planned') as planned,
           (select count(*)::int from case_benefit) as benefits`);
  for (const [what, count] of Object.entries(counts ?? {})) assert.ok(count > 0, what);
});

test('[CATEGORY-1, DEMO-2] every request and scheduled payment has a category of its case, and cases 1 and 2 have the usual ones', async () => {
  for (const table of ['disbursement_request', 'scheduled_payment']) {
    const strays = await rowsOf(
      `select d.case_id, d.category from ${table} d where d.category <> 'Other' and not exists (
         select from case_benefit b where b.case_id = d.case_id and b.category = d.category)`,
    );
    assert.deepEqual(strays, [], table);
  }
  const usual = ['Base compensation', 'Childcare', 'Insurance', 'Legal fees', 'Lost wages', 'Maternity clothing'];
  const wanted = [...usual, 'Medical', 'Monthly allowance', 'Parents’ travel', 'Recovery', 'Transfer fee', 'Travel'];
  for (const id of [1, 2]) {
    const rows = await rowsOf<{ category: string }>(`select category from case_benefit where case_id = ${id} order by 1`);
    assert.deepEqual(rows.map(({ category }) => category).sort(), wanted.sort());
  }
});

test('[DEMO-2, WHERE-3] no payment of the demo has moved, and nobody is notified of a move', async () => {
  assert.deepEqual(await rowsOf('select id from disbursement_request where moved_because is not null'), []);
  assert.deepEqual(await rowsOf(`select id from graphile_worker._private_jobs where payload -> 'moves' -> 0 is not null`), []);
  const [dated] = await rowsOf<{ count: number }>(
    `select count(*)::int as count from disbursement_request where status = 'submitted' and promised_date > current_date`,
  );
  assert.ok((dated?.count ?? 0) > 0);
});
