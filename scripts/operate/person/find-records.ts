import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';

/** A record of a person. */
export interface PersonRecord {
  id: number;
  user_type: UserType;
  email_address: string;
  first_name: string;
  last_name: string;
  phone: string | null;
  /** Every number that they have ever proved. */
  proved_phones: string[];
  status: string;
  erased_at: Date | null;
}

/**
 * Every record of the person whom this one is of: those that share its email address. A shared phone does not make two
 * people one here, as couples share one.
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

/** The number behind `--user`. @throws with how to call the program. */
export function readUserId(text: string | undefined, usage: string): number {
  if (text === undefined || !/^[1-9]\d{0,14}$/.test(text)) throw new Error(`Use: ${usage}`);
  return Number(text);
}
