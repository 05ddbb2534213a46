import type { Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';

/** The account that a request is paid to, for those who may approve it (BANK-9). */
export interface PayeeAccount {
  /** Opaque; `account_seen` of an approval names it. */
  version: string;
  last_four: string;
  changed_at: Date;
  /** True if the request was approved for another account before. */
  changed_since_approval: boolean;
  /** Of the account that it was approved for, otherwise of the payee's account before this one; null without one. */
  previous_last_four: string | null;
}

/** As parsed from JSON, with the time as text. */
export type PayeeAccountJson = Omit<PayeeAccount, 'changed_at'> & { changed_at: string };

/** A condition: a request `d` was approved for an account that its payee has since replaced. */
export const IS_FOR_CHANGED_ACCOUNT = sql`(d.approved_account_id is not null and exists (
  select from payee_bank_account current where current.user_id = d.payee_id and current.replaced_at is null
     and current.id <> d.approved_account_id))`;

/**
 * An expression: the account of a request `d` as JSON. Null without an account, and for everyone except its approver and those who
 * may decide in the approver's place.
 * @param mayDecide a condition on `d`: the reader may decide now.
 */
export function payeeAccountFor({ id }: Pick<User, 'id'>, mayDecide: Sql): Sql {
  return sql`case when d.approver_id = ${id} or ${mayDecide} then (
    select json_build_object('version', a.id::text, 'last_four', a.last_four, 'changed_at', a.created_at,
             'changed_since_approval', coalesce(d.approved_account_id <> a.id, false),
             'previous_last_four', coalesce(
               (select b.last_four from payee_bank_account b where b.id = d.approved_account_id and b.id <> a.id),
               (select b.last_four from payee_bank_account b where b.user_id = a.user_id and b.id < a.id
                 order by b.id desc limit 1)))
      from payee_bank_account a where a.user_id = d.payee_id and a.replaced_at is null) end`;
}

/**
 * Requires an approval to name the payee's account if the request was approved for another one before (BANK-9). The caller has
 * locked the payee's account.
 * @throws {ConflictError} `account_changed`.
 */
export async function requireAccountSeen(
  tx: Transaction,
  { id }: { id: number },
  account_seen: string | undefined,
): Promise<void> {
  const [row] = await query<{ version: string; payee_name: string }>(
    tx,
    sql`select a.id::text as version, u.first_name as payee_name from disbursement_request d
          join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
          join user_account u on u.id = d.payee_id
         where d.id = ${id} and d.approved_account_id <> a.id`,
  );
  if (row === undefined || row.version === account_seen) return;
  throw new ConflictError(
    `${row.payee_name} changed their bank account since this was approved. Confirm the new account to approve it again.`,
    'account_changed',
  );
}
