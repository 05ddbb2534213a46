import pg from 'pg';
import type { LoadJob, LoadResult } from './load.ts';
import { type CallFigures, figuresOf } from './measure-case-page.ts';
import { type Process, startProcess } from './processes.ts';
import { signIn } from './record-requests.ts';
import { BENCH_USERS, type BenchUser } from './scenarios.ts';

/** Issue: home, statement and projection of a case with this many movements of money. */
const MOVEMENTS = 5000;
const TARGET_MS = 50;
const SECONDS = 4;
const DAYS = 300;

/**
 * Half of them are payments of a few dollars, half are deposits, over 300 days; beside it a payment planned for each of the
 * coming days. What moves money without two persons' word is refused, so that these are written, too.
 */
const STATEMENTS = [
  `create temp table money_case as
   select c.case_id, p.id as parent_id, s.user_id as surrogate_id
     from user_account p join case_participant c on c.user_id = p.id
     join case_participant s on s.case_id = c.case_id
     join user_account u on u.id = s.user_id and u.user_type = 'surrogate'
    where p.email_address = '${BENCH_USERS.parent.email_address}' and p.user_type = 'ip' order by c.case_id limit 1`,
  `with entry as (
     insert into cash_entry (case_id, kind, amount_cents, memo, recorded_by, status, decided_by, decided_at)
     select case_id, 'deposit', 100000, 'Wire ' || n, two.maker, 'confirmed', two.checker, now()
       from money_case, generate_series(1, ${MOVEMENTS / 2}) n,
            (select min(id) as maker, max(id) as checker from user_account where user_type = 'admin') two
     returning id, case_id, memo, recorded_by)
   insert into ledger_transaction (case_id, kind, memo, created_by, cash_entry_id, created_at)
   select case_id, 'deposit', memo, recorded_by, id, now() - (row_number() over () % ${DAYS} + 1) * interval '1 day' from entry`,
  `with asked as (
     insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
                                       submitted_at, approver_id, decided_at, paid_at)
     select case_id, 'paid', 1000 + n, 'Travel', 'Journey ' || n || ' to the clinic', surrogate_id, surrogate_id, surrogate_id,
            now(), parent_id, now(), now() - (n % ${DAYS}) * interval '1 day'
       from money_case, generate_series(1, ${MOVEMENTS / 2}) n returning id, case_id, paid_at)
   insert into ledger_transaction (case_id, kind, disbursement_id, memo, created_at)
   select case_id, kind, id, 'travel', paid_at from asked, (values ('hold'), ('payment')) k (kind)`,
  `insert into ledger_posting (transaction_id, case_id, account, amount_cents)
   select t.id, t.case_id, p.account, p.sign * coalesce(d.amount_cents, 100000)
     from ledger_transaction t left join disbursement_request d on d.id = t.disbursement_id
     join (values ('deposit', 'cash', 1), ('deposit', 'funds', -1), ('hold', 'funds', 1), ('hold', 'held', -1),
                  ('payment', 'held', 1), ('payment', 'cash', -1)) p (kind, account, sign) on p.kind = t.kind
    where t.case_id = (select case_id from money_case)
      and not exists (select from ledger_posting q where q.transaction_id = t.id)`,
  `insert into scheduled_payment (case_id, category, description, due_date, amount_cents)
   select case_id, 'Allowance', 'Instalment ' || n, current_date + n, 50000 from money_case, generate_series(1, ${DAYS}) n`,
];

/** How fast the API says where the money of a case is that has moved often, one call after the other. */
export async function measureMoney(env: Record<string, string>, api: Process, url: string): Promise<CallFigures[]> {
  const caseId = await seedMovements(url);
  const load = await startProcess({ name: 'money', file: 'load.ts', env });
  const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
  const statement = `/api/cases/${caseId}/statement`;
  try {
    const tokens = { parent: await signIn(api, 'parent'), escrow: await signIn(api, 'escrow') };
    const ask = (label: string, user: BenchUser, path: string, target: number | null = TARGET_MS) =>
      measure(load, api, { label, token: tokens[user], path, target });
    return [
      await ask('home, a parent', 'parent', '/api/home'),
      await ask('home, the specialist', 'escrow', '/api/home'),
      await ask('a statement of 90 days', 'parent', statement),
      await ask(`all ${MOVEMENTS} movements`, 'parent', `${statement}?from=${day(-364)}&to=${day(0)}`),
      await ask('the months ahead', 'parent', `/api/cases/${caseId}/projection?months=24`),
    ];
  } finally {
    await load.stop();
  }
}

/** @returns the case. */
async function seedMovements(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    // The ledger's sums are whole as soon as all of it is written.
    await client.query('begin');
    for (const statement of STATEMENTS) await client.query(statement);
    await client.query('commit');
    await client.query('vacuum analyze');
    const { rows } = await client.query<{ case_id: string }>('select case_id from money_case');
    return Number(rows[0]?.case_id);
  } finally {
    await client.end();
  }
}

interface Call {
  label: string;
  token: string;
  path: string;
  target: number | null;
}

async function measure(load: Process, api: Process, { label, token, path, target }: Call): Promise<CallFigures> {
  const requests = [{ method: 'GET' as const, path, headers: { authorization: `Bearer ${token}` } }];
  const job: LoadJob = { url: api.baseUrl ?? '', connections: 1, seconds: SECONDS, requests };
  // Once for what has to be compiled, planned and read from the disk.
  await load.ask<LoadResult>('load', { ...job, seconds: SECONDS / 2 });
  return figuresOf(await load.ask<LoadResult>('load', job), { label, target });
}
