import type { Executor } from '@case-platform/lib/database';
import { ChangedError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { AccountKind } from '../nacha/records.ts';

/** A payee's account as it is shown: with its last four digits, and never with its number (BANK-5). */
export interface BankAccount {
  id: number;
  user_id: number;
  holder_name: string;
  routing_number: string;
  last_four: string;
  account_kind: AccountKind;
  created_at: Date;
  /** Nothing is paid to the account before this time. */
  usable_from: Date;
  /** The code of the bank's complaint: of a return (`R02`) or of a notification of change (`C01`). */
  flag_code: string | null;
  flagged_at: Date | null;
}

const COLUMNS = sql`id, user_id, holder_name, routing_number, last_four, account_kind, created_at,
  usable_from, flag_code, flagged_at`;

/** The account that a person's payments go to, or null. */
export async function findBankAccount(db: Executor, userId: number): Promise<BankAccount | null> {
  const [account] = await query<BankAccount>(
    db,
    sql`select ${COLUMNS} from payee_bank_account where user_id = ${userId} and replaced_at is null`,
  );
  return account ?? null;
}

/** The version of an account that a form was opened with: its id and the time of its flag, or `none` without an account. */
export function accountVersion(account: BankAccount | null): string {
  return account === null ? 'none' : `${account.id}.${account.flagged_at?.getTime() ?? 0}`;
}

/** @throws {ChangedError} when the account was replaced, or flagged by the bank, after the form was opened. */
export async function requireSeenAccount(db: Executor, userId: number, version: string): Promise<void> {
  if (accountVersion(await findBankAccount(db, userId)) !== version)
    throw new ChangedError('This account changed after you opened the page. Here it is now.');
}
