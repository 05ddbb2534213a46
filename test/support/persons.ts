import type pg from 'pg';

/** Makes records one person's, by a phone number that each has proved. */
export async function joinPersons(pool: pg.Pool, ids: readonly number[], phone = '+12025550188'): Promise<void> {
  await pool.query('update user_account set confirmed_phone = $2 where id = any($1::bigint[])', [ids, phone]);
}

/** Makes each record a person of its own. The platform has no way to it: who was once one person stays one. */
export async function partPersons(pool: pg.Pool, ids: readonly number[]): Promise<void> {
  await pool.query(
    `update user_account set confirmed_phone = null, proved_phones = '{}', person_id = default where id = any($1::bigint[])`,
    [ids],
  );
}
