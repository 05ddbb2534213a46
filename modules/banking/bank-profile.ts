import type { Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { AccountSeal } from './bank-accounts/seal-account-number.ts';
import type { OriginatingBank } from './nacha/originating-bank.ts';
import type { AccountKind } from './nacha/records.ts';

/** The bank that files go to, as staff see it: of the offset account only the last four digits. */
export interface BankProfile {
  routing_number: string;
  bank_name: string;
  immediate_origin: string;
  company_name: string;
  company_id: string;
  entry_description: string;
  /** True when a new batch is for the same day unless its maker says otherwise. */
  same_day: boolean;
  /** True when each payment has an addenda record that names the request. */
  with_notes: boolean;
  /** True when files debit the offset account; otherwise the bank does that itself. */
  balanced: boolean;
  offset_routing_number: string | null;
  offset_last_four: string | null;
  offset_account_kind: AccountKind | null;
  updated_at: Date;
}

const PROFILE_COLUMNS = sql`routing_number, bank_name, immediate_origin, company_name, company_id, entry_description,
  same_day, with_notes, balanced, offset_routing_number, offset_last_four, offset_account_kind, updated_at`;

/** The bank profile, or null until one is entered. */
export async function findBankProfile(db: Executor): Promise<BankProfile | null> {
  const [profile] = await query<BankProfile>(db, sql`select ${PROFILE_COLUMNS} from bank_profile`);
  return profile ?? null;
}

/** The version of the profile that a form was opened with; `none` without a profile. */
export function profileVersion(profile: BankProfile | null): string {
  return profile === null ? 'none' : String(profile.updated_at.getTime());
}

/** The originating bank for a file, locked for the rest of the transaction. @throws {ConflictError} when there is none yet. */
export async function readOriginatingBank(
  tx: Transaction,
  seal: AccountSeal,
): Promise<OriginatingBank & { with_notes: boolean; next_trace_sequence: number }> {
  type Row = BankProfile & { offset_account_number: Buffer | null; next_trace_sequence: number };
  const [profile] = await query<Row>(
    tx,
    sql`select ${PROFILE_COLUMNS}, offset_account_number, next_trace_sequence from bank_profile for update`,
  );
  if (profile === undefined) throw new ConflictError('Add our bank details first.', 'no_bank_profile');
  return { ...profile, offset: profile.balanced ? openOffset(profile, seal) : null };
}

function openOffset(
  profile: BankProfile & { offset_account_number: Buffer | null },
  seal: AccountSeal,
): OriginatingBank['offset'] {
  const { offset_routing_number, offset_account_number, offset_account_kind } = profile;
  if (offset_routing_number === null || offset_account_number === null || offset_account_kind === null) return null;
  const account_number = seal.open('originating bank', offset_account_number);
  return { routing_number: offset_routing_number, account_number, account_kind: offset_account_kind };
}
