import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { ChangedError, type FieldError, InvalidInputError } from '@case-platform/lib/errors';
import { listOf, query, sql, trustedSql } from '@case-platform/lib/sql';
import { cleanLine } from '@case-platform/lib/text/human-text';
import { createAccountSeal } from './bank-accounts/seal-account-number.ts';
import { type BankProfile, findBankProfile, profileVersion } from './bank-profile.ts';
import { lockBanking } from './banking-lock.ts';
import { toAchText } from './nacha/ach-text.ts';
import type { AccountKind } from './nacha/records.ts';
import { isAccountNumber } from './nacha/require-valid-nacha-input.ts';
import { isRoutingNumber } from './nacha/routing-number.ts';
import { PAYROLL } from './nacha/write-batch.ts';

export interface BankProfileInput {
  routing_number: string;
  bank_name: string;
  immediate_origin: string;
  company_name: string;
  company_id: string;
  entry_description: string;
  same_day: boolean;
  with_notes: boolean;
  balanced: boolean;
  /** Used by balanced files. An empty account number leaves the current one. */
  offset_routing_number: string;
  offset_account_number: string;
  offset_account_kind: AccountKind;
}

/** Widths of the fields in the file. */
const WIDTHS = {
  bank_name: 23,
  immediate_origin: 10,
  company_name: 16,
  company_id: 10,
  entry_description: 10,
} as const;

/**
 * Sets the bank that files are sent to.
 * @param version the version of the profile that the form was opened with.
 * @throws {InvalidInputError} naming each field that a file could not hold.
 * @throws {ChangedError} when the profile changed after the form was opened (PERSON-6).
 */
export async function setBankProfile(
  { db, encryptionKey }: { db: Database; encryptionKey: EncryptionKey },
  given: BankProfileInput,
  { by, version }: { by: ChangedBy; version: string },
): Promise<void> {
  const input = trimTexts(given);
  const seal = createAccountSeal(encryptionKey);
  await db.transaction(async (tx) => {
    await lockBanking(tx);
    const before = await findBankProfile(tx);
    if (profileVersion(before) !== version)
      throw new ChangedError('Our bank details changed after you opened the page. Here they are now.');
    requireValidProfile(input, before);
    const number = input.offset_account_number;
    await write(tx, input, number === '' ? null : seal.seal('originating bank', number), by);
    const after = await findBankProfile(tx);
    await recordAudit(tx, {
      ...by,
      action: 'bank_profile.set',
      subject_label: input.bank_name,
      before: shown(before),
      after: shown(after),
    });
  });
}

function trimTexts(input: BankProfileInput): BankProfileInput {
  const entries = Object.entries(input).map(([name, value]) => [name, typeof value === 'string' ? cleanLine(value) : value]);
  return Object.fromEntries(entries) as BankProfileInput;
}

function requireValidProfile(input: BankProfileInput, before: BankProfile | null): void {
  const errors: FieldError[] = [];
  if (!isRoutingNumber(input.routing_number))
    errors.push({ field: 'routing_number', message: 'Enter the nine digits of a valid routing number.' });
  for (const [field, width] of Object.entries(WIDTHS)) {
    const value = input[field as keyof typeof WIDTHS];
    if (value === '' || value.length > width || toAchText(value) !== value)
      errors.push({ field, message: `Enter 1 to ${width} characters: plain letters, digits and signs.` });
  }
  if (input.entry_description.toUpperCase() === PAYROLL)
    errors.push({ field: 'entry_description', message: 'Choose another text. PAYROLL is set on compensation by itself.' });
  if (input.balanced) errors.push(...offsetErrors(input, before));
  if (errors.length > 0) throw new InvalidInputError(errors);
}

function offsetErrors(input: BankProfileInput, before: BankProfile | null): FieldError[] {
  const errors: FieldError[] = [];
  if (!isRoutingNumber(input.offset_routing_number))
    errors.push({ field: 'offset_routing_number', message: 'Enter a valid routing number for this account.' });
  const number = input.offset_account_number;
  const keeps = number === '' && before?.offset_last_four != null;
  if (!keeps && (number.length < 4 || !isAccountNumber(number)))
    errors.push({
      field: 'offset_account_number',
      message: 'Enter 4 to 17 digits or letters.',
    });
  return errors;
}

async function write(tx: Transaction, input: BankProfileInput, sealedNumber: Buffer | null, by: ChangedBy): Promise<void> {
  const columns = {
    routing_number: input.routing_number,
    bank_name: input.bank_name,
    immediate_origin: input.immediate_origin,
    company_name: input.company_name,
    company_id: input.company_id,
    entry_description: input.entry_description,
    same_day: input.same_day,
    with_notes: input.with_notes,
    balanced: input.balanced,
    ...(input.balanced
      ? { offset_routing_number: input.offset_routing_number, offset_account_kind: input.offset_account_kind }
      : {}),
    ...(input.balanced && sealedNumber !== null
      ? { offset_account_number: sealedNumber, offset_last_four: input.offset_account_number.slice(-4) }
      : {}),
    updated_by: by.actor?.id ?? null,
  };
  // Not an upsert: its new row would be checked as a whole, and a number that stays as it is would be missing.
  const changes = Object.entries(columns).map(([name, value]) => sql`${trustedSql(name)} = ${value}`);
  const changed = await query(tx, sql`update bank_profile set updated_at = now(), ${listOf(changes)} returning 1`);
  if (changed.length > 0) return;
  const names = Object.keys(columns).map(trustedSql);
  const values = Object.values(columns).map((value) => sql`${value}`);
  await query(tx, sql`insert into bank_profile (${listOf(names)}) values (${listOf(values)})`);
}

function shown(profile: BankProfile | null): Record<string, unknown> | null {
  if (profile === null) return null;
  const { updated_at, ...rest } = profile;
  return rest;
}
