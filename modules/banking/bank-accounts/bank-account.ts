import type { Executor } from '@case-platform/lib/database';
import { ChangedError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { AccountKind } from '../nacha/records.ts';

/** A payee's account as it is shown: never the number, its last four alone. */
export interface BankAccount {
  id: number;
  user_id: number;
  holder_name: string;
  routing_number: string;
  last_four: string;
  account_kind: AccountKind;
  created_at: Date;
  /** Nothing is paid to it before. */
  usable_from: Date;
  /** What the bank says is wrong with it: a return's (`R02`) or a change's (`C01`) code. */
  flag_code: string | null;
  flagged_at: Date | null;
}

const COLUMNS = sql`id, user_id, holder_name, routing_number, last_four, account_kind, created_at,
  usable_from, flag_code, flagged_at`;

/** The account that a person's payments go to, or null. */
export async function findBankAccount(db: Executor, userId: number): Promise<BankAccount | null> {
  const [found] = await query<BankAccount>(
    db,
    sql`select ${COLUMNS} from payee_bank_account where user_id = ${userId} and replaced_at is null`,
  );
  return found ?? null;
}

/** What a form says that it was filled in over: the account and what the bank said of it; `none` where there was none. */
export function accountVersion(account: BankAccount | null): string {
  return account === null ? 'none' : `${account.id}.${account.flagged_at?.getTime() ?? 0}`;
}

/** @throws {ChangedError} when somebody has set another account, or the bank has said something of it, meanwhile. */
export async function requireSeenAccount(db: Executor, userId: number, version: string): Promise<void> {
  if (accountVersion(await findBankAccount(db, userId)) !== version)
    throw new ChangedError('This account changed after you opened the page. Here it is now.');
}
