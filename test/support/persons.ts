import type pg from 'pg';

/** Joins records to one person by a phone number that each has verified. */
export async function joinPersons(pool: pg.Pool, ids: readonly number[], phone = '+12025550188'): Promise<void> {
  await pool.query('update user_account set confirmed_phone = $2 where id = any($1::bigint[])', [ids, phone]);
}

/** Makes each record a separate person, which the platform itself cannot do. */
export async function partPersons(pool: pg.Pool, ids: readonly number[]): Promise<void> {
  await pool.query(
    `update user_account set confirmed_phone = null, proved_phones = '{}', person_id = default where id = any($1::bigint[])`,
    [ids],
  );
}

/**
 * Inserts a change of address of an account, and removes all others.
 * @param by the id of the person who requested it.
 * @param options days since the request, and since its link was followed.
 */
export async function moveAddress(
  pool: pg.Pool,
  id: number,
  by: number,
  { asked, followed }: { asked: number; followed: number },
): Promise<void> {
  await forgetMoves(pool);
  await pool.query(
    `insert into address_change (user_id, old_address, new_address, token_hash, requested_by, requested_at, expires_at, confirmed_at)
     select id, 'before@demo.test', email_address, sha256(gen_random_uuid()::text::bytea), $2,
            now() - make_interval(days => $3), now(), now() - make_interval(days => $4) from user_account where id = $1`,
    [id, by, asked, followed],
  );
}

/** Removes all changes of address. */
export async function forgetMoves(pool: pg.Pool): Promise<void> {
  await pool.query('delete from address_change');
}
