import { migrate } from '@case-platform/db/migrate';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { syncPermissions } from '@case-platform/modules/accounts';
import pg from 'pg';
import { hashDemoPasswords, seedCast } from '../scripts/demo/seed-cast.ts';
import { MESSAGES_A_CHAIN, seedMessages } from './seed-messages.ts';

const CHAINS_A_CASE = 10;
const CASES_AN_ADMIN = 20;

/** Accounts of parents who sign in with the demo's password. */
export const SIGN_IN_ACCOUNTS = Array.from({ length: 80 }, (_, n) => `bench-ip-${n + 1}@demo.test`);

interface SeedOptions {
  url: string;
  encryptionKey: string;
  messages: number;
}

/**
 * Fills an empty database with the demo's people and cases, then with this many messages: ten for each conversation, ten
 * conversations for each case, twenty cases for each admin, and two people on each case. Like a real platform, it grows by cases
 * and not by cases per person.
 * @returns the conversations that the measured parent writes to, all with the same people.
 */
export async function seedBench({ url, encryptionKey, messages }: SeedOptions): Promise<number[]> {
  const cast = await seedPlatform(url, encryptionKey);
  const chains = Math.ceil(messages / MESSAGES_A_CHAIN);
  const cases = Math.ceil(chains / CHAINS_A_CASE) - cast.caseIds.length;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await seedCases(client, cases, cast);
    const writable = await seedMessages(client, chains, cast);
    // On a platform that has been running for a while, autovacuum has already done this.
    await client.query('vacuum analyze');
    return writable;
  } finally {
    await client.end();
  }
}

async function seedPlatform(url: string, encryptionKey: string) {
  const pool = createPool({ url, name: 'bench', max: 4 });
  try {
    await migrate(pool);
    const db = createDatabase(pool);
    const anyone = await query(db, sql`select from user_account limit 1`);
    if (anyone.length > 0) throw new Error('The database already contains data; the benchmark needs an empty one.');
    await syncPermissions(db);
    const hashes = await hashDemoPasswords();
    const { cast, caseIds } = await db.transaction((tx) => seedCast(tx, encryptionKey, hashes));
    const idOf = (name: string) => cast[name]?.id ?? 0;
    return { caseIds, escrow: idOf('escrow'), parent: idOf('parent'), surrogate: idOf('surrogate') };
  } finally {
    await pool.end();
  }
}

/** Adds cases of a parent, a surrogate, and a specialist. The first ones, with cases 1 and 2, belong to the measured admin. */
async function seedCases(
  client: pg.Client,
  cases: number,
  { escrow, parent }: { escrow: number; parent: number },
): Promise<void> {
  await client.query(
    `insert into user_account (email_address, user_type, first_name, last_name, admin_role_id, password_hash)
     select format('bench-%s-%s@demo.test', type, n), type, initcap(type), 'Number ' || n,
            case when type = 'admin' then (select admin_role_id from user_account where id = $2) end,
            case when type = 'ip' and n <= ${SIGN_IN_ACCOUNTS.length} then (select password_hash from user_account where id = $3) end
       from (values ('ip', $1::int), ('surrogate', $1), ('admin', ($1 - 1) / ${CASES_AN_ADMIN} + 1))
              as wanted (type, count), generate_series(1, count) as n`,
    [cases, escrow, parent],
  );
  await client.query(
    `create temp table bench_case as
     select nextval('case_file_id_seq') as id, n,
            case when n <= ${CASES_AN_ADMIN - 2} then $2::bigint else a.id end as admin_id,
            p.id as parent_id, s.id as surrogate_id
       from generate_series(1, $1::int) as n
       join user_account p on p.email_address = format('bench-ip-%s@demo.test', n)
       join user_account s on s.email_address = format('bench-surrogate-%s@demo.test', n)
       join user_account a on a.email_address = format('bench-admin-%s@demo.test', (n - 1) / ${CASES_AN_ADMIN} + 1)`,
    [cases, escrow],
  );
  await client.query(`
    insert into case_file (id, name, status, escrow_specialist_id) overriding system value
    select id, 'Bench case ' || n, 'active', admin_id from bench_case`);
  await client.query('insert into case_admin (case_id, user_id) select id, admin_id from bench_case');
  await client.query(`
    insert into case_participant (case_id, user_id, position)
    select id, parent_id, 1 from bench_case union all select id, surrogate_id, 2 from bench_case`);
}
