import type pg from 'pg';
import { CAST, type CastName } from './cast.ts';

/** Adds permissions to the role of one of the cast's staff, in the test's database. */
export async function grant(pool: pg.Pool, name: CastName, ...permissions: string[]): Promise<void> {
  await pool.query(
    `insert into admin_role_permission
     select u.admin_role_id, unnest($2::text[]) from user_account u where u.email_address = $1 and u.user_type = 'admin'
     on conflict do nothing`,
    [CAST[name].email_address, permissions],
  );
}
