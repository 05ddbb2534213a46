import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';

export interface PersonRecord {
  id: number;
  user_type: UserType;
  email_address: string;
  first_name: string;
  last_name: string;
  phone: string | null;
  /** Every number that they have ever verified. */
  proved_phones: string[];
  status: string;
  erased_at: Date | null;
}

/**
 * Finds all records of the person with this one: those that share its email address. A shared phone number does not count,
 * because couples share one.
 * @throws for an unknown id.
 */
export async function findRecords(db: Executor, userId: number): Promise<PersonRecord[]> {
  const records = await query<PersonRecord>(
    db,
    sql`select id, user_type, email_address, first_name, last_name, phone, proved_phones, status, erased_at
          from user_account where email_address = (select email_address from user_account where id = ${userId})
         order by id for update`,
  );
  if (records.length === 0) throw new Error(`There is no user ${userId}.`);
  return records;
}

/** Parses the value of `--user`. @throws with the usage. */
export function readUserId(text: string | undefined, usage: string): number {
  if (text === undefined || !/^[1-9]\d{0,14}$/.test(text)) throw new Error(`Use: ${usage}`);
  return Number(text);
}
