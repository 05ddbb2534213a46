import pg from 'pg';

/** What the case page shows beside people and chains: milestones, requests, a payment calendar, a ledger. */
const STATEMENTS = [
  `insert into case_milestone (case_id, kind, happened_on, note, created_by)
   select c.id, kind, current_date - 300 + 40 * at::int, 'Noted in the file.', c.escrow_specialist_id
     from case_file c,
          unnest(array['matched', 'contract_signed', 'medical_clearance', 'embryo_transfer', 'pregnancy_confirmed'])
            with ordinality as k (kind, at)
    where c.escrow_specialist_id is not null`,
  `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
                                     submitted_at, approver_id, decided_at, paid_at)
   select p.case_id, case when n > 18 then 'submitted' else 'paid' end, 1000 + n, 'travel', 'Journey ' || n || ' to the clinic',
          p.user_id, p.user_id, p.user_id, now(), a.user_id, case when n <= 18 then now() end, case when n <= 18 then now() end
     from case_participant p join user_account u on u.id = p.user_id and u.user_type = 'surrogate'
     join lateral (select q.user_id from case_participant q join user_account v on v.id = q.user_id and v.user_type = 'ip'
                    where q.case_id = p.case_id and not is_person_among(v.id, array[u.id]) order by q.position limit 1) a
       on true,
          generate_series(1, 20) n`,
  `insert into scheduled_payment (case_id, category, description, due_date, amount_cents, status, paid_at)
   select c.id, (array['allowance', 'base_compensation', 'insurance'])[n % 3 + 1], 'Instalment ' || n,
          current_date + 30 * (n - 15), 50000, case when n < 15 then 'paid' else 'planned' end, case when n < 15 then now() end
     from case_file c, generate_series(1, 30) n`,
  `insert into cash_entry (case_id, kind, amount_cents, memo, recorded_by, status, decided_by, decided_at)
   select c.id, 'deposit', 5000000, 'Funds', two.maker, 'confirmed', two.checker, now()
     from case_file c, generate_series(1, 5),
          (select min(id) as maker, max(id) as checker from user_account where user_type = 'admin') two`,
  `insert into ledger_transaction (case_id, kind, memo, created_by, cash_entry_id)
   select case_id, kind, memo, recorded_by, id from cash_entry`,
  `insert into ledger_posting (transaction_id, case_id, account, amount_cents)
   select t.id, t.case_id, account, cents
     from ledger_transaction t, (values ('cash', 5000000), ('funds', -5000000)) p (account, cents)`,
];

/** Gives every case of a benchmark's database its money. @returns numbers of cases: the Escrow Specialist's own, and others. */
export async function seedCaseMoney(url: string, email: string): Promise<{ own: number[]; others: number[] }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // The ledger's sums are whole as soon as all of it is written.
    await client.query('begin');
    for (const statement of STATEMENTS) await client.query(statement);
    await client.query('commit');
    await client.query('vacuum analyze');
    const cases = async (mine: string) =>
      (
        await client.query<{ id: string }>(
          `select c.id from case_file c join user_account u on u.id = c.escrow_specialist_id
            where (u.email_address = $1) = ${mine} order by md5(c.id::text) limit 200`,
          [email],
        )
      ).rows.map(({ id }) => Number(id));
    return { own: await cases('true'), others: await cases('false') };
  } finally {
    await client.end();
  }
}
