import { createHash } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { isCompensation, setBankDate } from '@case-platform/modules/disbursements';
import { bankDayOf } from '@case-platform/words/bank-days';
import { type AccountSeal, createAccountSeal } from '../bank-accounts/seal-account-number.ts';
import { readOriginatingBank } from '../bank-profile.ts';
import { TRACE_SEQUENCE_MAX } from '../nacha/limits.ts';
import { countEntriesAtMost, type Payment } from '../nacha/write-batch.ts';
import { type NachaFile, writeNachaFile } from '../nacha/write-nacha-file.ts';
import type { LockedBatch } from './batch.ts';
import { sealFile } from './batch-file.ts';

const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

interface Making {
  encryptionKey: EncryptionKey;
  now: Date;
  /** YYYY-MM-DD, the day that the file names. */
  effective_date: string;
}

export interface MadeFile {
  /** Hexadecimal. */
  sha256: string;
  effective_date: string;
  total_cents: number;
}

/**
 * Writes the NACHA file of a batch with the payments that it has now, and stores it encrypted, with its SHA-256, in place of an
 * earlier one (NACHA-5). Trace numbers and the letter of the file are new each time (NACHA-4).
 * @throws {ConflictError} before the bank's details are entered, and after 36 files of a day.
 * @throws {InvalidInputError} for payments that a file cannot hold.
 */
export async function makeFile(
  tx: Transaction,
  { id: batchId, same_day }: Pick<LockedBatch, 'id' | 'same_day'>,
  { encryptionKey, now, effective_date }: Making,
): Promise<MadeFile> {
  const seal = createAccountSeal(encryptionKey);
  const bank = await readOriginatingBank(tx, seal);
  const payments = await readPayments(tx, seal, { batchId, with_notes: bank.with_notes });
  const file_day = bankDayOf(now);
  const file_id_modifier = await nextModifier(tx, file_day);
  const first_trace_sequence = firstSequence(bank.next_trace_sequence, countEntriesAtMost(payments));
  const day = { created_at: now, same_day, effective_date };
  const file = writeNachaFile({ bank, payments, ...day, first_trace_sequence, file_id_modifier });
  await storeTraces(tx, batchId, file);
  await query(tx, sql`update bank_profile set next_trace_sequence = ${firstSequence(first_trace_sequence + file.entries, 1)}`);
  const sha256 = createHash('sha256').update(file.text).digest();
  await query(
    tx,
    sql`update banking_batch set file = ${sealFile(encryptionKey, batchId, file.text)}, file_sha256 = ${sha256},
               file_day = ${file_day}, file_id_modifier = ${file_id_modifier}, effective_date = ${effective_date}
         where id = ${batchId}`,
  );
  const ids = payments.map(({ id }) => id);
  await setBankDate(tx, ids, effective_date, now);
  return { sha256: sha256.toString('hex'), effective_date, total_cents: file.credit_cents };
}

/** Trace numbers ascend within a file, so a file that would pass the last number starts again at 1. */
function firstSequence(next: number, entries: number): number {
  return next + entries - 1 > TRACE_SEQUENCE_MAX ? 1 : next;
}

async function readPayments(
  tx: Transaction,
  seal: AccountSeal,
  { batchId, with_notes }: { batchId: number; with_notes: boolean },
): Promise<Payment[]> {
  type Row = Omit<Payment, 'account_number' | 'reference'> & { user_id: number; account_number: Buffer };
  const rows = await query<Row>(
    tx,
    sql`select e.disbursement_id as id, e.amount_cents, a.user_id, a.holder_name as name, a.holder_kind,
               a.routing_number, a.account_number, a.account_kind,
               ${isCompensation(sql`d`)} as is_compensation
          from banking_batch_entry e join disbursement_request d on d.id = e.disbursement_id
          join payee_bank_account a on a.id = e.bank_account_id
         where e.batch_id = ${batchId} and e.released_at is null and e.returned_at is null order by e.disbursement_id`,
  );
  return rows.map(({ user_id, account_number, ...row }) => ({
    ...row,
    account_number: seal.open({ user_id }, account_number),
    reference: `DR ${row.id}`,
    ...(with_notes ? { note: `Payment for request ${row.id}` } : {}),
  }));
}

/** The letter after the last one of the day. Letters of files that were made again are not used a second time. */
async function nextModifier(tx: Transaction, day: string): Promise<string> {
  const [files] = await query<{ used: number }>(
    tx,
    sql`select coalesce(max(strpos(${MODIFIERS}, file_id_modifier)), 0)::int as used from banking_batch where file_day = ${day}`,
  );
  const modifier = MODIFIERS[files?.used ?? 0];
  if (modifier === undefined)
    throw new ConflictError('The bank accepts 36 files a day. Make this one tomorrow.', 'too_many_files');
  return modifier;
}

async function storeTraces(tx: Transaction, batchId: number, { traces }: NachaFile): Promise<void> {
  await query(
    tx,
    sql`update banking_batch_entry e set trace_number = t.trace_number
          from unnest(${[...traces.keys()]}::bigint[], ${[...traces.values()]}::text[])
            as t (disbursement_id, trace_number)
         where e.batch_id = ${batchId} and e.disbursement_id = t.disbursement_id and e.released_at is null`,
  );
}
