import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createLog } from '@case-platform/lib/log';
import { findBroken } from '../../test/money/money-invariants.ts';
import { createTestDatabase, TEST_SECRETS } from '../../test/support/database.ts';
import { openStorage } from '../../test/support/storage.ts';
import { seedLives } from './seed-demo.ts';

/**
 * Rules for every row of the demo. Each statement finds the rows that break its rule, with what is needed to see why. The data is
 * seeded here with its files, because the runner makes the template of the demo only for browser tests.
 */

const folder = await mkdtemp(join(tmpdir(), 'demo-rows-'));
const { storage, close } = await openStorage(folder, createLog('test', 'silent'));
const { db, pool } = await createTestDatabase();
after(async () => {
  await close();
  await rm(folder, { recursive: true });
});
const rowsOf = async <Row = unknown>(statement: string) => (await pool.query(statement)).rows as Row[];
const caseIds = (await rowsOf<{ id: string }>('select id from case_file order by id')).map(({ id }) => Number(id));
// The demo brings its own contract limits.
await pool.query('delete from case_benefit');
await db.transaction((tx) => seedLives(tx, { storage, encryptionKey: TEST_SECRETS.encryptionKey, caseIds }));

/** Fails with the rows that break a rule, under its name. */
async function requireAll(rules: Readonly<Record<string, string>>): Promise<void> {
  const broken: Record<string, unknown[]> = {};
  for (const [rule, statement] of Object.entries(rules)) {
    const rows = await rowsOf(`select broken from (${statement}) broken limit 5`);
    if (rows.length > 0) broken[rule] = rows;
  }
  assert.deepEqual(broken, {});
}

/** The audit log of requests and cases, in order, with the status that each entry says was before and after. */
const HISTORY = `(
  select l.*, l.before ->> 'status' as was, l.after ->> 'status' as became,
         lag(l.after ->> 'status') over told as earlier, lag(l.happened_at) over told as earlier_at,
         row_number() over told = 1 as is_first, row_number() over backward = 1 as is_last
    from audit_entry l
   where l.action in ('case.create', 'case.change_status') or l.subject_type = 'disbursement'
      or l.subject_type = 'banking_batch'
     and l.after ? 'status'
  window told as (partition by l.subject_type, l.subject_id order by l.happened_at, l.id),
         backward as (partition by l.subject_type, l.subject_id order by l.happened_at desc, l.id desc))`;

/** The newest audit entry of a request with one of these actions. */
const lastOf = (...actions: string[]) => `left join lateral (
  select l.actor_id, l.happened_at from audit_entry l
   where l.subject_type = 'disbursement' and l.subject_id = d.id
     and l.action in (${actions.map((one) => `'disbursement.${one}'`).join(', ')})
   order by l.happened_at desc, l.id desc limit 1)`;

/** The columns that say when a row came to be. */
const BIRTHS = ['created_at', 'recorded_at', 'joined_at', 'added_at', 'uploaded_at', 'happened_at'];
/** Days that are planned, and times until which something is valid. */
const MAY_COME = [
  'due_date',
  'bank_date',
  'promised_date',
  'close_due_on',
  'effective_date',
  'usable_from',
  'due_at',
  'expires_at',
];
/** Set later than its row, to something that may be younger. */
const SET_LATER = ['disbursement_request.approved_account_id'];

interface Column {
  table: string;
  column: string;
  type: string;
}

const columns = await rowsOf<Column>(`
  select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
     and a.attgenerated = '' order by 1, a.attnum`);
const times = columns.filter(({ type }) => type === 'date' || type === 'timestamp with time zone');
const birthOf = (table: string) => BIRTHS.find((column) => times.some((one) => one.table === table && one.column === column));

test('[DEMO-2] nothing in any table is later than now, unless it is planned', async () => {
  const past = times.filter(({ column }) => !MAY_COME.includes(column));
  assert.ok(past.length > 50);
  await requireAll(
    Object.fromEntries(
      past.map(({ table, column }) => [`${table}.${column}`, `select * from ${table} where ${column} > clock_timestamp()`]),
    ),
  );
});

test('[DEMO-2] nothing in any table happened to a row before the row was there', async () => {
  const later = times.filter(({ table, column, type }) => {
    const birth = birthOf(table);
    return birth !== undefined && birth !== column && type !== 'date' && table !== 'bank_profile';
  });
  await requireAll(
    Object.fromEntries(
      later.map(({ table, column }) => [`${table}.${column}`, `select * from ${table} where ${column} < ${birthOf(table)}`]),
    ),
  );
});

test('[DEMO-2] no row of any table is older than a row that it names', async () => {
  const keys = await rowsOf<{ table: string; column: string; target: string }>(`
    select c.relname as table, a.attname as column, t.relname as target
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
      join pg_attribute f on f.attrelid = k.confrelid and f.attnum = k.confkey[1] and f.attname = 'id'
     where k.contype = 'f' and k.conparentid = 0`);
  const dated = keys.filter(
    ({ table, column, target }) =>
      birthOf(table) !== undefined && birthOf(target) !== undefined && !SET_LATER.includes(`${table}.${column}`),
  );
  assert.ok(dated.length > 30);
  await requireAll(
    Object.fromEntries(
      dated.map(({ table, column, target }) => [
        `${table}.${column}`,
        `select c.* from ${table} c join ${target} t on t.id = c.${column} where c.${birthOf(table)} < t.${birthOf(target)}`,
      ]),
    ),
  );
});

test('[DEMO-2] the audit log of each case, request, and batch tells its states in order, up to the current one', async () => {
  await requireAll({
    'a story begins with the creation, in the first state': `
      select * from ${HISTORY} h
         where is_first <> (action in ('case.create', 'disbursement.create', 'banking_batch.create'))
          or is_first and (was is not null or became <> case subject_type when 'case' then 'intake' else 'draft' end)`,
    'each step begins in the state in which the previous one ended, and later': `
      select * from ${HISTORY} h where not is_first and (was is distinct from earlier or happened_at <= earlier_at)`,
    'each step of a request leads to its state': `
      select * from ${HISTORY} h where subject_type = 'disbursement' and (action, became) not in (
        values ('disbursement.create', 'draft'), ('disbursement.submit', 'submitted'), ('disbursement.revise', 'draft'),
               ('disbursement.approve', 'approved'), ('disbursement.deny', 'denied'), ('disbursement.cancel', 'cancelled'),
               ('disbursement.batch', 'batched'), ('disbursement.pay', 'paid'), ('disbursement.return', 'returned'),
               ('disbursement.retry', 'approved'), ('disbursement.end', 'ended'))`,
    'the last step of a case leads to its current state': `
      select c.id, c.status, h.became from case_file c left join ${HISTORY} h on h.subject_type = 'case'
         and h.subject_id = c.id and is_last
       where h.became is distinct from c.status`,
    'the last step of a request leads to its current state': `
      select d.id, d.status, h.became from disbursement_request d
        left join ${HISTORY} h on h.subject_type = 'disbursement' and h.subject_id = d.id and is_last
       where h.became is distinct from d.status`,
    'the last step of a batch leads to its current state': `
      select b.id, b.status, h.became from banking_batch b
        left join ${HISTORY} h on h.subject_type = 'banking_batch' and h.subject_id = b.id and is_last
       where h.became is distinct from b.status`,
    'the history of a batch is its audit log': `
      (select batch_id, status, user_id, created_at from banking_batch_step
       except select subject_id, became, actor_id, happened_at from ${HISTORY} h where subject_type = 'banking_batch')
      union all
      (select subject_id, became, actor_id, happened_at from ${HISTORY} h where subject_type = 'banking_batch'
       except select batch_id, status, user_id, created_at from banking_batch_step)`,
    'entries name a thing that exists, and its case': `
      select l.* from audit_entry l left join case_file c on l.subject_type = 'case' and c.id = l.subject_id
        left join disbursement_request d on l.subject_type = 'disbursement' and d.id = l.subject_id
       where l.subject_type = 'case' and (c.id is null or l.case_id is distinct from c.id or l.subject_label <> c.name)
          or l.subject_type = 'disbursement' and (d.id is null or l.case_id is distinct from d.case_id)`,
    'the log of a request has its category and its amount': `
      select l.* from audit_entry l join disbursement_request d on d.id = l.subject_id and l.subject_type = 'disbursement'
       where l.subject_label <> d.category || ', ' || to_char(d.amount_cents / 100.0, 'FM$999,999,990.00')`,
    'the creation, or the last change of a request, says what it is': `
      select d.id, l.after from disbursement_request d join lateral (
        select (l.after ->> 'amount_cents')::bigint as cents, l.after from audit_entry l
         where l.subject_type = 'disbursement' and l.subject_id = d.id
         and l.action in ('disbursement.create', 'disbursement.revise')
         order by l.happened_at desc limit 1) l on l.cents is distinct from d.amount_cents
       union all
      select d.id, l.after from disbursement_request d join audit_entry l on l.subject_id = d.id
         and l.action = 'disbursement.create'
       where l.after ->> 'category' is distinct from d.category or l.after ->> 'description' is distinct
          from d.description`,
  });
});

test('[DEMO-2] the times of each case, request, and payment are those of its audit log', async () => {
  const timeOf = (column: string, step: string, statuses: string) =>
    `select d.id, d.status, d.${column}, l.happened_at from disbursement_request d ${step} l on true
      where d.${column} is distinct from case when ${statuses} then l.happened_at end`;
  await requireAll({
    'a case was opened when the log says': `
      select c.id, c.created_at, l.happened_at from case_file c join audit_entry l on l.action = 'case.create'
         and l.subject_id = c.id
       where l.happened_at <> c.created_at`,
    'a case was last changed at its last step, or later': `
      select c.id, c.updated_at, h.happened_at from case_file c join ${HISTORY} h on h.subject_type = 'case'
         and h.subject_id = c.id and is_last
       where c.updated_at < h.happened_at or c.status in ('closed', 'cancelled') and c.updated_at <> h.happened_at`,
    'closing cases, and no others, have a day': `select * from case_file where (close_due_on is not null) <> (status = 'closing')`,
    'a request was written at its creation': timeOf('created_at', lastOf('create'), 'true'),
    'a request was submitted at its last submission': timeOf('submitted_at', lastOf('submit'), 'true'),
    'a request was decided at its decision': timeOf('decided_at', lastOf('approve', 'deny'), 'true'),
    'a request was paid at its last payment': timeOf('paid_at', lastOf('pay'), `d.status in ('paid', 'returned', 'ended')`),
    'a request came back at its return': timeOf('returned_at', lastOf('return'), `d.status in ('returned', 'ended')`),
    'a request has its state since its last step': `
      select d.id, d.status, d.status_since, d.updated_at, h.happened_at from disbursement_request d
        join ${HISTORY} h on h.subject_type = 'disbursement' and h.subject_id = d.id and is_last
       where d.status_since <> h.happened_at or d.updated_at < h.happened_at`,
    'denied, ended, and returned requests, and no others, have their reason': `
      select * from disbursement_request d
       where (status = 'denied') <> (decision_reason is not null) or (status = 'ended') <> (end_reason is not null)
          or (status in ('returned', 'ended')) <> (return_code is not null) or draft_again_because is not null`,
    'the log has the reason too': `
      select d.* from disbursement_request d join audit_entry l on l.subject_type = 'disbursement' and l.subject_id = d.id
       where l.action = 'disbursement.deny' and l.after ->> 'reason' is distinct from d.decision_reason
          or l.action = 'disbursement.end' and l.after ->> 'reason' is distinct from d.end_reason
          or l.action = 'disbursement.return' and d.return_code <> l.after ->> 'return_code'
          or l.action in ('disbursement.return', 'disbursement.retry') and l.after ->> 'return_code' is null`,
    'a scheduled payment was paid with its request, and is the same payment': `
      select s.*, d.id, d.paid_at from scheduled_payment s left join disbursement_request d on d.scheduled_payment_id = s.id
         and d.status = 'paid'
       where s.paid_at is distinct from d.paid_at
       union all
      select s.*, d.id, d.paid_at from scheduled_payment s join disbursement_request d on d.scheduled_payment_id = s.id
       where (s.case_id, s.category, s.description, s.payee_id, s.amount_cents)
             is distinct from (d.case_id, d.category, d.description, d.payee_id, d.amount_cents)`,
  });
});

test('[DEMO-2] the people that rows name are those who acted, and may act', async () => {
  const actorOf = (column: string, ...actions: string[]) =>
    `select d.id, d.status, d.${column}, l.actor_id from disbursement_request d ${lastOf(...actions)} l on true
      where d.${column} is distinct from l.actor_id`;
  await requireAll({
    'the author of a request': actorOf('created_by', 'create'),
    'who submitted it': actorOf('submitted_by', 'submit'),
    'who decided about it': `${actorOf('approver_id', 'approve', 'deny')} and d.decided_at is not null`,
    'who changed it': `
      select d.id, d.revised_by from disbursement_request d where d.revised_by <> array(
        select distinct l.actor_id from audit_entry l where l.action = 'disbursement.revise' and l.subject_id = d.id)`,
    'a request has an approver as soon as it is submitted': `
      select * from disbursement_request where (submitted_at is not null) <> (approver_id is not null)`,
    'a batch names those who made, approved, and handed it out': `
      select b.* from banking_batch b where (b.created_by, b.approved_by, b.handed_out_by) is distinct from (
        select (max(l.actor_id) filter (where action = 'banking_batch.create'),
                max(l.actor_id) filter (where action = 'banking_batch.approve'),
                max(l.actor_id) filter (where action = 'banking_batch.hand_out'))
          from audit_entry l where l.subject_type = 'banking_batch' and l.subject_id = b.id)`,
    'who recorded and who confirmed cash': `
      select e.* from cash_entry e full join (
          select (l.after ->> 'cash_entry_id')::bigint as id, l.case_id, (l.after ->> 'amount_cents')::bigint as cents,
                 max(l.actor_id) filter (where l.action like 'case.record%') as recorder,
                 max(l.happened_at) filter (where l.action like 'case.record%') as recorded,
                 max(l.actor_id) filter (where l.action not like 'case.record%') as decider,
                 max(l.happened_at) filter (where l.action not like 'case.record%') as decided
            from audit_entry l where l.after ? 'cash_entry_id' group by 1, 2, 3) l on l.id = e.id
       where (e.id, e.case_id, e.amount_cents, e.recorded_by, e.recorded_at, e.decided_by, e.decided_at)
             is distinct from (l.id, l.case_id, l.cents, l.recorder, l.recorded, l.decider, l.decided)`,
    'a batch began when the log says': `
      select b.* from banking_batch b join audit_entry l on l.action = 'banking_batch.create' and l.subject_id = b.id
       where l.happened_at <> b.created_at`,
    'an entry has the type of its actor, and the application that this type uses': `
      select l.* from audit_entry l left join user_account u on u.id = l.actor_id
       where l.actor_type is distinct from u.user_type
          or l.layer <> case when u.id is null then 'system' when u.user_type = 'admin' then 'admin' else 'api' end`,
    'people who act on a case belong to it at that time': `
      select l.* from audit_entry l join user_account u on u.id = l.actor_id and u.user_type <> 'admin'
       where l.case_id is not null and not exists (
         select from case_participant p where p.case_id = l.case_id and p.user_id = u.id and p.joined_at <= l.happened_at
         and p.left_at is null)`,
    'payees, approvers, and authors who are not staff belong to the case': `
      select d.id, u.id as user_id from disbursement_request d
         cross join unnest(array[d.payee_id, d.approver_id, d.created_by, d.submitted_by]) named
        join user_account u on u.id = named and u.user_type <> 'admin'
       where not exists (select from case_participant p where p.case_id = d.case_id and p.user_id = named
          and p.joined_at <= d.created_at)`,
    'staff who act on a case are its specialist, or have every permission, or prepare payments': `
      select l.*, r.name from audit_entry l join user_account u on u.id = l.actor_id and u.user_type = 'admin'
         join admin_role r on r.id = u.admin_role_id
        join case_file c on c.id = l.case_id
       where u.id is distinct from c.escrow_specialist_id and r.name not in ('Administrator', 'Finance')`,
    'a surrogate, a parent, or a representative is paid': `
      select d.id, u.user_type from disbursement_request d join user_account u on u.id = d.payee_id
       where u.user_type not in ('surrogate', 'ip') union all
      select s.id, u.user_type from scheduled_payment s left join user_account u on u.id = s.payee_id
         where u.user_type is distinct from 'surrogate'`,
    'the approver is a parent of the case, or staff': `
      select d.id, u.user_type from disbursement_request d join user_account u on u.id = d.approver_id
         where u.user_type not in ('ip', 'admin')`,
    'files are uploaded by the author of their request, before it is submitted': `
      select f.* from disbursement_file f join disbursement_request d on d.id = f.disbursement_id
       where f.uploaded_by <> d.created_by or f.created_at > (
         select min(happened_at) from audit_entry l where l.action = 'disbursement.submit' and l.subject_id = d.id)`,
  });
});

test('[DEMO-1, DEMO-2] every person has what belongs to their type', async () => {
  const had = (purpose: string) => `exists (select from user_file f where f.user_id = u.id and f.purpose = '${purpose}')`;
  const family = "u.user_type in ('surrogate', 'ip')";
  await requireAll({
    'a name, a phone number unless they are staff, and an active account': `
      select u.* from user_account u where u.first_name = '' or u.last_name = ''
         or (u.phone is null) <> (u.user_type = 'admin') or u.status <> 'active'`,
    'an agency for managers and owners, and a role for staff': `
      select u.* from user_account u where (u.agency_id is not null) <> (u.user_type in ('cm', 'owner'))
         or (u.admin_role_id is not null) <> (u.user_type = 'admin')`,
    'a phone number and an address of their own': `
      select phone, count(*) from user_account where phone is not null group by phone having count(*) > 1 union all
      select email_address, count(*) from user_account where email_address <> 'both@demo.test' group by 1
         having count(*) > 1`,
    'a password, exactly for the people of the README': `
      select u.* from user_account u where (u.password_hash is not null) <> (u.email_address like '%@demo.test')`,
    'a portrait, exactly for people who sign in without staff rights or a second factor': `
      select u.* from user_account u where ${had('profile_picture')} <> (
        u.user_type <> 'admin' and u.password_hash is not null and u.two_factor_method is null)`,
    'a photo ID, exactly for the parents and surrogates among them': `
      select u.* from user_account u where ${had('photo_id')} <> (${family} and ${had('profile_picture')})`,
    'a bank account in their name once they were paid, or will be': `
      select d.id, a.* from disbursement_request d join user_account u on u.id = d.payee_id
        left join payee_bank_account a on a.user_id = u.id and a.replaced_at is null
       where u.email_address <> 'totp@demo.test' and a.holder_name is distinct from u.first_name || ' ' || u.last_name
          or u.email_address = 'totp@demo.test' and a.id is not null`,
    'a bank account that they entered before the first payment': `
      select a.* from payee_bank_account a
       where a.created_by <> a.user_id or a.replaced_at is not null or a.flag_code is not null
          or a.created_at > (select min(l.happened_at) from audit_entry l join disbursement_request d on d.id = l.subject_id
                              where l.action = 'disbursement.batch' and d.payee_id = a.user_id)
          or not exists (select from audit_entry l where l.action = 'bank_account.set' and l.actor_id = a.user_id
          and l.happened_at = a.created_at)`,
  });
});

test('[DEMO-2] every case has its people, its milestones, and its documents', async () => {
  const countOf = (type: string) =>
    `(select count(*) from case_participant p join user_account u on u.id = p.user_id where p.case_id = c.id and u.user_type = '${type}')`;
  const milestone = (kind: string) => `exists (select from case_milestone m where m.case_id = c.id and m.kind = '${kind}')`;
  await requireAll({
    'one or two parents, and a surrogate at the latest when it leaves intake': `
      select c.* from case_file c where ${countOf('ip')} not in (1, 2) or ${countOf('surrogate')} > 1
          or ${countOf('surrogate')} = 0 and c.status <> 'intake'`,
    'a manager of its agency, and none without': `
      select c.* from case_file c where ${countOf('cm')} <> (c.agency_id is not null)::int or exists (
        select from case_participant p join user_account u on u.id = p.user_id
         where p.case_id = c.id and u.agency_id is not null and u.agency_id is distinct from c.agency_id)`,
    'the last names of its families': `
      select c.* from case_file c where c.name <> (
        select string_agg(last_name, ' & ' order by position) from (
          select distinct on (u.last_name) u.last_name, min(p.position) over (partition by u.last_name) as position
            from case_participant p join user_account u on u.id = p.user_id
           where p.case_id = c.id and (u.user_type = 'surrogate' or p.position = 1)) named)`,
    'people in a row from 1': `
      select case_id from case_participant group by case_id
      having min(position) <> 1 or max(position) <> count(*) or count(*) <> count(distinct position)`,
    'its specialist in its team, and no one else': `
      select c.id, a.user_id from case_file c full join case_admin a on a.case_id = c.id
         and a.user_id = c.escrow_specialist_id
       where c.id is null or (c.escrow_specialist_id is null) <> (a.user_id is null)`,
    'milestones in the order of a journey, each once': `
      select case_id from (select m.*, array_position(array['matched', 'medical_clearance', 'contract_signed', 'embryo_transfer',
                'pregnancy_confirmed', 'heartbeat_confirmed', 'birth', 'other'], kind) as place from case_milestone m) m
       group by case_id having array_agg(place order by happened_on) <> array_agg(place order by place)
          or count(*) <> count(distinct kind)`,
    'a match as soon as it has a surrogate, and none without': `
      select c.* from case_file c where ${milestone('matched')} <> (${countOf('surrogate')} = 1)`,
    'milestones that were entered on their day or the day after, by staff': `
      select m.* from case_milestone m join user_account u on u.id = m.created_by
       where u.user_type <> 'admin' or m.created_at::date - m.happened_on not in (0, 1)`,
    'a deposit that is needed, exactly when a pregnancy was confirmed': `
      select * from case_milestone where (funding_required_cents is not null) <> (kind = 'pregnancy_confirmed')`,
    'contract limits and a calendar, exactly when the contract was signed': `
      select c.* from case_file c where ${milestone('contract_signed')} <> exists (select from case_benefit b
         where b.case_id = c.id)
          or ${milestone('contract_signed')} <> exists (select from scheduled_payment s where s.case_id = c.id)`,
    'the signed agreement of that day from its specialist': `
      select c.id, f.* from case_file c left join case_milestone m on m.case_id = c.id and m.kind = 'contract_signed'
        full join case_document f on f.case_id = c.id
       where (m.id is not null and c.escrow_specialist_id is not null) <> (f.id is not null)
          or f.uploaded_by <> c.escrow_specialist_id or f.created_at::date <> m.happened_on`,
    'a waiting state after the contract and before the first deposit': `
      select c.* from case_file c where c.status = 'pending_funding' and (not ${milestone('contract_signed')} or exists (
        select from ledger_transaction t where t.case_id = c.id) or exists (select from disbursement_request d
           where d.case_id = c.id))`,
    'a birth before it closes, unless it was stopped': `
      select c.* from case_file c where ${milestone('birth')} <> (c.status in ('closing', 'closed'))
          or ${milestone('other')} <> (c.status in ('on_hold', 'cancelled'))`,
  });
});

test('[DEMO-2, CHAIN-1] every message is between members of its conversation, who belong to its case', async () => {
  await requireAll({
    'members and senders belong to the case, are staff, or own its agency': `
      select h.id, u.id as user_id from message_chain h join case_file c on c.id = h.case_id cross join lateral (
          select user_id from message_chain_group g where g.chain_id = h.id union select from_id from message m
          where m.chain_id = h.id) named
        join user_account u on u.id = named.user_id
       where u.user_type <> 'admin' and not (u.user_type = 'owner' and u.agency_id = c.agency_id) and not exists (
         select from case_participant p where p.case_id = h.case_id and p.user_id = u.id and p.joined_at <= h.created_at)`,
    'a conversation has a case, a subject, messages, and members who are not staff': `
      select h.* from message_chain h where h.case_id is null or h.subject = '' or not exists (select from message m
         where m.chain_id = h.id)
          or not exists (select from message_chain_group g where g.chain_id = h.id)
          or exists (select from message_chain_group g join user_account u on u.id = g.user_id where g.chain_id = h.id
          and u.user_type = 'admin')`,
    'a sender is a member or staff, with their type': `
      select m.* from message m join user_account u on u.id = m.from_id
       where m.from_type <> u.user_type or u.user_type <> 'admin' and not exists (
         select from message_chain_group g where g.chain_id = m.chain_id and g.user_id = m.from_id)`,
    'the readers of a message are all other members of its conversation': `
      (select message_id, user_id, chain_id from message_recipient
       except select m.id, g.user_id, m.chain_id from message m join message_chain_group g on g.chain_id = m.chain_id
          and g.user_id <> m.from_id)
      union all
      (select m.id, g.user_id, m.chain_id from message m join message_chain_group g on g.chain_id = m.chain_id
         and g.user_id <> m.from_id
       except select message_id, user_id, chain_id from message_recipient)`,
    'staff read what others write': `select m.* from message m where m.to_admin = (m.from_type = 'admin')`,
    'a message to one person names them': `
      select m.* from message m left join user_account u on u.id = m.to_id join lateral (
        select count(*) as n, min(user_id) as one from message_recipient r where r.message_id = m.id) r on true
       where m.to_type is distinct from u.user_type or m.to_id is not null and (r.n <> 1 or r.one <> m.to_id)`,
    'a message was opened after it was written, and in the order of the conversation': `
      select m.id, r.viewed from message_recipient r join message m on m.id = r.message_id where r.viewed <= m.created_at
         or m.admin_viewed <= m.created_at
       union all
      select m.id, later.viewed from message_recipient r join message m on m.id = r.message_id
        join message_recipient later on later.chain_id = r.chain_id and later.user_id = r.user_id
           and later.message_id > r.message_id
       where later.viewed is not null and (r.viewed is null or r.viewed > later.viewed)`,
    'people have opened what they answer': `
      select r.* from message_recipient r join message answer on answer.chain_id = r.chain_id and answer.from_id = r.user_id
         and answer.id > r.message_id
       where r.viewed is null`,
    'a conversation begins with its first message, by its author': `
      select h.* from message_chain h join lateral (select * from message m
         where m.chain_id = h.id order by m.id limit 1) m on true
       where m.created_at <> h.created_at or m.from_id <> h.created_by`,
    'a conversation ends with its last message': `
      select h.* from message_chain h join lateral (select * from message m
         where m.chain_id = h.id order by m.id desc limit 1) m on true
       where m.created_at <> h.last_message_at or m.id <> h.last_message_id
          or exists (select from message_chain_group g where g.chain_id = h.id and g.last_message_id <> m.id)`,
    'members are there from the beginning, and still are': `
      select g.* from message_chain_group g join message_chain h on h.id = g.chain_id where g.joined_at <> h.created_at
         or g.left_at is not null`,
    'the specialist of the case owns its conversations': `
      select h.* from message_chain h join case_file c on c.id = h.case_id where h.assigned_admin_id is distinct
         from c.escrow_specialist_id`,
    'staff in a conversation are the specialist of its case': `
      select m.* from message m join message_chain h on h.id = m.chain_id join case_file c on c.id = h.case_id
       where m.from_type = 'admin' and m.from_id is distinct from c.escrow_specialist_id`,
  });
});

test('[DEMO-2] every payment adds up with the ledger, the batches, and the deposits', async () => {
  assert.deepEqual(await findBroken(pool), {}, 'all rules about money hold');
  const moves = `
    select l.subject_id, l.case_id, moved.kind, l.happened_at, d.amount_cents, case moved.kind when 'hold' then l.actor_id end
      from audit_entry l join disbursement_request d on d.id = l.subject_id
      join (values ('disbursement.approve', 'hold'), ('disbursement.retry', 'hold'), ('disbursement.pay', 'payment'),
                   ('disbursement.return', 'return')) moved (action, kind) on moved.action = l.action`;
  const posted = `
    select t.disbursement_id, t.case_id, t.kind, t.created_at, max(p.amount_cents), t.created_by
      from ledger_transaction t join ledger_posting p on p.transaction_id = t.id where t.disbursement_id is not null
         group by t.id`;
  await requireAll({
    'the ledger has each step that moves money, and no other, at its time and by its actor': `
      (${moves} except all ${posted}) union all (${posted} except all ${moves})`,
    'the memo of a movement is the category of its request': `
      select t.* from ledger_transaction t join disbursement_request d on d.id = t.disbursement_id
         where t.memo <> d.category`,
    'cash moved when the second person confirmed it, with the amount and the memo that the first one recorded': `
      select c.*, t.* from cash_entry c full join (
          select t.*, abs(p.amount_cents) as cents from ledger_transaction t
          join ledger_posting p on p.transaction_id = t.id and p.account = 'cash'
           where t.kind in ('deposit', 'refund')) t on t.cash_entry_id = c.id
       where (c.status = 'confirmed' or t.id is not null)
          and (c.case_id, c.kind, c.amount_cents, c.memo, c.decided_at, c.recorded_by)
             is distinct from (t.case_id, t.kind, t.cents, t.memo, t.created_at, t.created_by)`,
    'a deposit comes when the case becomes active, or later': `
      select c.* from cash_entry c where c.kind = 'deposit' and c.status = 'confirmed' and not exists (
        select from audit_entry l where l.action = 'case.change_status' and l.subject_id = c.case_id
           and l.after ->> 'status' = 'active'
           and l.happened_at::date <= c.recorded_at::date)`,
    'a case is paid from only while it has been active': `
      select d.* from disbursement_request d join case_file c on c.id = d.case_id
         where c.status in ('intake', 'pending_funding')`,
    'a batch pays requests to the accounts of their payees': `
      select e.* from banking_batch_entry e join disbursement_request d on d.id = e.disbursement_id
         join payee_bank_account a on a.id = e.bank_account_id
       where e.amount_cents <> d.amount_cents or a.user_id <> d.payee_id or e.released_at is not null`,
    'payments have the state of their batch, and its day': `
      select b.id, b.status, d.* from banking_batch b join banking_batch_entry e on e.batch_id = b.id
         join disbursement_request d on d.id = e.disbursement_id
       where e.returned_at is null and (d.status <> case b.status when 'settled' then 'paid' else 'batched' end
          or d.bank_date is distinct from b.effective_date)`,
    'requests in a batch, and no others, have a bank date': `
      select * from disbursement_request d where bank_date is not null
         and status not in ('batched', 'paid', 'returned', 'ended')
          or bank_date is null and status in ('paid', 'returned', 'ended')`,
    'a payment was in a batch after it was approved, and paid on its bank date': `
      select d.id, d.bank_date, d.paid_at from disbursement_request d where d.paid_at::date <> d.bank_date`,
    'requests that wait at the bank are in a batch': `
      select d.* from disbursement_request d where d.status = 'batched' and not exists (
        select from banking_batch_entry e where e.disbursement_id = d.id and e.returned_at is null)`,
    'what came back is marked in its batch with its code and time': `
      select d.id, d.returned_at, e.* from disbursement_request d join banking_batch_entry e on e.disbursement_id = d.id
       where d.status in ('returned', 'ended') and (e.returned_at, e.return_code) is distinct
          from (d.returned_at, d.return_code)`,
    'payments of a file have a trace number each, and others none': `
      select e.* from banking_batch_entry e join banking_batch b on b.id = e.batch_id
         where (e.trace_number is not null) <> (b.file is not null)
       union all select min(e.id), trace_number::bigint, null, null, null, null, null, null, null from banking_batch_entry e
          group by trace_number having trace_number is not null and count(*) > 1`,
    'what was approved is within the limits of the contract': `
      select d.case_id, d.category, sum(d.amount_cents) from disbursement_request d
         join case_benefit b using (case_id, category)
       where d.status in ('approved', 'batched', 'paid')
       group by 1, 2, b.cap_cents, case b.period when 'month' then date_trunc('month', d.submitted_at) end
      having sum(d.amount_cents) > b.cap_cents`,
  });
});

/** Columns that may be empty. */
const MAY_BE_EMPTY = ['banking_batch_step.note', 'case_milestone.note'];

test('[DEMO-2] every word is filled in, without holes, and every amount is more than nothing', async () => {
  const words = columns.filter(({ type }) => type === 'text');
  const amounts = columns.filter(({ table, column }) => /_cents$|^size$/.test(column) && !/^ledger_/.test(table));
  await requireAll({
    ...Object.fromEntries(
      words.map(({ table, column }) => {
        const isEmpty = MAY_BE_EMPTY.includes(`${table}.${column}`) ? 'false' : `${column} = ''`;
        return [
          `${table}.${column}`,
          `select * from ${table} where ${isEmpty} or ${column} ~ '^\\s|\\s$|\\s\\s|\\m(undefined|null|NaN|Invalid Date)\\M|\\[object'`,
        ];
      }),
    ),
    ...Object.fromEntries(
      amounts.map(({ table, column }) => [`${table}.${column}`, `select * from ${table} where ${column} < 1`]),
    ),
  });
});

test('[DEMO-2] every file that a row names is stored, and no other', async () => {
  const tables = ['case_document', 'disbursement_file', 'message_file', 'user_file'];
  const named = await rowsOf<{ count: number }>(tables.map((table) => `select count(*)::int from ${table}`).join(' union all '));
  const stored = await readdir(join(folder, 'buckets', 'case-platform'));
  assert.equal(
    stored.length,
    named.reduce((sum, { count }) => sum + count, 0),
  );
  await requireAll(
    Object.fromEntries(
      tables.map((table) => [
        table,
        `select * from ${table} where filename not like case content_type when 'image/png' then '%.png' when 'application/pdf' then '%.pdf' end
            or storage_key not like '%' || right(filename, 4)`,
      ]),
    ),
  );
});
