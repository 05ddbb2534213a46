import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';

/**
 * Whether somebody else has given this account its address so lately that its word may be theirs: for a week nobody knows, and for a
 * month it is not taken where whoever asked for the address has a part (decision 34). The table's trigger asks the same
 * function. A condition.
 * @param record an id, or an expression of one. @param makers an array of ids, or an expression of one; any may be null.
 */
export function isOthersChecker(record: number | Sql, makers: readonly number[] | Sql): Sql {
  return sql`is_others_checker(${record}, ${makers}::bigint[])`;
}

/** @throws {ForbiddenError} `address_moved` for whom `isOthersChecker` names. */
export async function refuseOthersChecker(
  db: Executor,
  actor: { id: number },
  makers: readonly number[],
): Promise<void> {
  const [found] = await query<{ is_others: boolean }>(
    db,
    sql`select ${isOthersChecker(actor.id, makers)} as is_others`,
  );
  if (found?.is_others !== true) return;
  throw new ForbiddenError(
    'Our staff changed your email address recently, so someone else has to decide this.',
    'address_moved',
  );
}
