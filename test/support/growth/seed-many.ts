import { after } from 'node:test';
import pg from 'pg';
import { serverUrl } from '../database.ts';

/** The number of rows in each large table. It is high enough to tell a plan that reads all of them from one that does not. */
export const MANY = 10_000;

/**
 * Fills a test's database like that of a platform after some years: cases of a hundred specialists and two thousand agencies,
 * with people, conversations, messages, requests, payments, batches, deliveries, and audit entries. Some states are rare.
 */
const STATEMENTS = [
  // Autovacuum would change the statistics while plans are checked.
  `do $$ declare name regclass; begin
     for name in select oid from pg_class where relkind = 'r' and relnamespace in ('public'::regnamespace, 'months'::regnamespace) loop
       execute format('alter table %s set (autovacuum_enabled = false)', name);
     end loop; end $$`,
  `insert into agency (name) select 'Many agency ' || n from generate_series(1, 2000) n`,
  `insert into user_account (email_address, user_type, first_name, last_name, status, agency_id, admin_role_id)
   select 'many-' || type || '-' || n || '@demo.test', type, initcap(type), 'Number' || n,
          case when n % 500 = 0 then 'deactivated' else 'active' end,
          case when type in ('cm', 'owner') then (select min(id) from agency where name like 'Many%') + n % 2000 end,
          case when type = 'admin' then (select admin_role_id from user_account where email_address = 'escrow@demo.test') end
     from (values ('ip', $1::int), ('surrogate', $1), ('cm', 500), ('owner', 500), ('admin', 100)) wanted (type, count),
          generate_series(1, count) n`,
  `create temp table many_person as
   select id, user_type, row_number() over (partition by user_type order by id) as n
     from user_account where email_address like 'many-%'`,
  `create index on many_person (user_type, n)`,
  `analyze many_person`,
  `create temp table many_case as
   select nextval('case_file_id_seq') as id, g.n, a.id as admin_id, p.id as parent_id, s.id as surrogate_id
     from generate_series(1, $1::int) g (n)
     join many_person p on p.user_type = 'ip' and p.n = g.n
     join many_person s on s.user_type = 'surrogate' and s.n = g.n
     join many_person a on a.user_type = 'admin' and a.n = g.n % 100 + 1`,
  `insert into case_file (id, name, status, agency_id, escrow_specialist_id, close_due_on, created_at, updated_at)
   overriding system value
   select id, 'Many ' || md5(n::text), case when n % 2000 = 0 then 'cancelled' when n % 3 = 0 then 'closed' else 'active' end,
          (select min(id) from agency where name like 'Many%') + n % 2000, case when n % 10 > 0 then admin_id end,
          case when n % 20 = 0 then current_date + n % 365 end,
          now() - n * interval '1 hour', now() - (n * 7919 % 20000) * interval '1 minute'
     from many_case`,
  `insert into case_admin (case_id, user_id) select id, admin_id from many_case where n % 4 = 0`,
  `insert into case_participant (case_id, user_id, position)
   select id, parent_id, 1 from many_case union all select id, surrogate_id, 2 from many_case`,
  `insert into message_chain (id, subject, case_id, assigned_admin_id, created_by, created_at, last_message_id, last_message_at)
   select 5000000 + n, 'About ' || md5(n::text), id, case when n % 1000 > 0 then admin_id end, parent_id,
          now() - n * interval '1 minute', 2000000 + n * 2 + 1, now() - n * interval '1 minute'
     from many_case`,
  `insert into message_chain_group (chain_id, user_id, last_message_id)
   select 5000000 + n, parent_id, 2000000 + n * 2 + 1 from many_case`,
  `insert into message (id, chain_id, from_id, from_type, to_id, to_type, to_admin, message, admin_viewed)
   select 2000000 + n * 2 + m, 5000000 + n, case m when 0 then parent_id else admin_id end, case m when 0 then 'ip' else 'admin' end,
          case m when 1 then parent_id end, case m when 1 then 'ip' end, m = 0, 'Words ' || md5((n * 2 + m)::text),
          case when m = 0 and n % 50 > 0 then now() end
     from many_case, generate_series(0, 1) m`,
  // One conversation lasts for years.
  `insert into message (id, chain_id, from_id, from_type, to_admin, message, admin_viewed, created_at)
   select 4000000 + m, 5000000 + n, parent_id, 'ip', true, 'More words ' || m, now(), now() + m * interval '1 second'
     from many_case, generate_series(1, $1::int / 4) m where n = 4444`,
  `insert into message_recipient (message_id, user_id, chain_id, viewed)
   select 2000000 + n * 2 + 1, parent_id, 5000000 + n, case when n % 5 > 0 then now() end from many_case`,
  `insert into case_milestone (case_id, kind, happened_on, created_by)
   select id, 'matched', current_date - n % 900, admin_id from many_case`,
  // Payments that were still planned when their case ended were due before all that are open.
  `insert into scheduled_payment (case_id, category, due_date, amount_cents, status, paid_at, case_ended)
   select m.id, 'allowance', current_date + (n % 600 - 300) - case when ended then 900 else 0 end, 10000 + n,
          case when n % 2 = 0 then 'paid' else 'planned' end, case when n % 2 = 0 then now() end, ended
     from many_case m join case_file c on c.id = m.id, lateral (select c.status in ('closed', 'cancelled') as ended) e`,
  `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
                                     submitted_at, approver_id, decided_at, paid_at, returned_at, return_code)
   select id, status, 100 + n, 'travel', 'Many ' || n, surrogate_id, surrogate_id, surrogate_id, now(),
          case when status <> 'submitted' or n % 400 > 0 then parent_id end,
          case when status <> 'submitted' then now() end, case when status in ('paid', 'returned') then now() end,
          case when status = 'returned' then now() end, case when status = 'returned' then 'R01' end
     from (select *, case when n % 200 = 0 then 'submitted' when n % 100 = 1 then 'approved' when n % 5 = 2 then 'returned'
                     else 'paid' end as status
             from many_case) c`,
  `insert into case_benefit (case_id, category, period, cap_cents)
   select id, 'travel', case when n % 2 = 0 then 'month' else 'case' end, 100000 from many_case`,
  `insert into ledger_transaction (case_id, kind) select id, 'deposit' from many_case where n % 4 = 0`,
  `insert into ledger_posting (transaction_id, case_id, account, amount_cents)
   select t.id, t.case_id, account, cents from ledger_transaction t, (values ('cash', 500), ('funds', -500)) p (account, cents)
    where not exists (select from ledger_posting q where q.transaction_id = t.id)`,
  `insert into ledger_transaction (case_id, kind, disbursement_id, memo)
   select d.case_id, kind, d.id, 'travel' from disbursement_request d, (values ('payment'), ('return')) k (kind)
    where d.description like 'Many %' and (d.status = 'returned' or d.status = 'paid' and kind = 'payment')`,
  `insert into ledger_posting (transaction_id, case_id, account, amount_cents)
   select t.id, t.case_id, account, cents * case t.kind when 'payment' then 1 else -1 end
     from ledger_transaction t, (values ('cash', -100), ('held', 100)) p (account, cents)
    where not exists (select from ledger_posting q where q.transaction_id = t.id)`,
  // A trigger normally maintains this table.
  `insert into ledger_balance (case_id, account, amount_cents, paid_in_cents)
   select case_id, account, sum(amount_cents), 0 from ledger_posting group by case_id, account on conflict do nothing`,
  `insert into cash_entry (case_id, kind, amount_cents, memo, recorded_by, status)
   select id, 'deposit', 500, 'Wire', admin_id, 'waiting' from many_case where n % 50 = 0`,
  `insert into banking_batch (status, created_by, entry_count, total_cents)
   select case when n % 1000 = 0 then 'draft' else 'cancelled' end, (select id from many_person where user_type = 'admin' limit 1), 1, n
     from generate_series(1, $1::int) n`,
  `insert into delivery (delivery_key, channel, event, user_id, recipient, subject, state)
   select 'many-' || n, (array['email', 'sms', 'push'])[case when n % 1000 = 0 then 2 else n % 2 * 2 + 1 end],
          (array['new_message', 'sign_in_code', 'payment_arrived'])[n % 3 + 1], parent_id, 'somebody', 'Delivery ' || n,
          case when n % 400 = 0 then 'failed' else 'sent' end
     from many_case`,
  `insert into audit_entry (actor_id, actor_type, layer, action, subject_id, subject_label, case_id, happened_at)
   select admin_id, 'admin', 'admin', (array['case.update', 'case.assign', 'role.rename'])[n % 3 + 1], id, 'Many', id,
          now() - n * interval '1 minute' from many_case`,
];

/** Writes many rows into each large table, and updates PostgreSQL's statistics. */
async function fillMany(client: pg.Client): Promise<void> {
  await client.query('set statement_timeout = 0');
  // The rows are consistent, so references and the ledger's sums do not need a check for each of them.
  await client.query(`set session_replication_role = 'replica'`);
  for (const statement of STATEMENTS) await client.query(statement, statement.includes('$1') ? [MANY] : []);
  await client.query('vacuum analyze');
}

/** The ids that lists are called with, and a setting of the planner's statistics. */
export interface Many extends Record<'caseId' | 'adminId' | 'parentId' | 'surrogateId', number> {
  /**
   * Marks every page of every table as visible to all, or none of them. Otherwise it depends on chance: VACUUM skips pages that a
   * current snapshot could miss, and an index-only scan costs twice as much there.
   */
  takeForVisible(all: boolean): Promise<void>;
}

export async function seedMany(databaseUrl: string): Promise<Many> {
  const client = new pg.Client({ connectionString: serverUrl(new URL(databaseUrl).pathname.slice(1)) });
  await client.connect();
  // The database is dropped first, which ends its sessions.
  client.on('error', () => {});
  after(() => client.end());
  await fillMany(client);
  const { rows } = await client.query<Record<'id' | 'admin_id' | 'parent_id' | 'surrogate_id', string>>(
    'select id, admin_id, parent_id, surrogate_id from many_case where n = 4444',
  );
  const [middle] = rows;
  return {
    caseId: Number(middle?.id),
    adminId: Number(middle?.admin_id),
    parentId: Number(middle?.parent_id),
    surrogateId: Number(middle?.surrogate_id),
    async takeForVisible(all) {
      await client.query(
        `update pg_class set relallvisible = case when $1 then relpages else 0 end
          where relkind = 'r' and relnamespace in ('public'::regnamespace, 'months'::regnamespace)`,
        [all],
      );
    },
  };
}
