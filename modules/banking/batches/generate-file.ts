import { createHash } from 'node:crypto';
import type { ChangedBy } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
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
import { lockBatch, moveBatch, requireSeenList } from './batch.ts';
import { sealFile } from './batch-file.ts';
import { effectiveDate } from './effective-date.ts';
import { requirePayableBatch } from './require-payable-batch.ts';

const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/**
 * Makes the NACHA file of an approved batch and stores it encrypted, with its SHA-256 (NACHA-5). A batch gets one file; another
 * file needs another batch.
 * @param listSha256 the SHA-256 of the list that the person saw.
 * @throws {ChangedError} when the list changed.
 * @throws {NotFoundError} @throws {ConflictError} when the batch is not approved, when an account was changed or cannot be paid,
 * and before the bank's details are entered.
 * @throws {InvalidInputError} for payments that a file cannot hold.
 */
export async function generateFile(
  { db, encryptionKey }: { db: Database; encryptionKey: EncryptionKey },
  batchId: number,
  listSha256: string,
  { by, now }: { by: ChangedBy; now: Date },
): Promise<void> {
  const seal = createAccountSeal(encryptionKey);
  await db.transaction(async (tx) => {
    const batch = await lockBatch(tx, batchId, ['approved']);
    await requireSeenList(tx, batch, listSha256);
    await requirePayableBatch(tx, batch, now);
    const bank = await readOriginatingBank(tx, seal);
    const payments = await readPayments(tx, seal, { batchId, with_notes: bank.with_notes });
    const file_day = bankDayOf(now);
    const file_id_modifier = await nextModifier(tx, file_day);
    const effective_date = effectiveDate(now, batch.same_day);
    const first_trace_sequence = firstSequence(bank.next_trace_sequence, countEntriesAtMost(payments));
    const file = writeNachaFile({
      bank,
      payments,
      created_at: now,
      same_day: batch.same_day,
      first_trace_sequence,
      file_id_modifier,
      effective_date,
    });
    await storeTraces(tx, batchId, file);
    await query(tx, sql`update bank_profile set next_trace_sequence = ${first_trace_sequence + file.entries}`);
    const sha256 = createHash('sha256').update(file.text).digest();
    await query(
      tx,
      sql`update banking_batch set file = ${sealFile(encryptionKey, batchId, file.text)}, file_sha256 = ${sha256},
                 file_day = ${file_day}, file_id_modifier = ${file_id_modifier}, effective_date = ${effective_date}
           where id = ${batchId}`,
    );
    await setBankDate(
      tx,
      payments.map(({ id }) => id),
      effective_date,
    );
    const after = {
      sha256: sha256.toString('hex'),
      effective_date,
      total_cents: file.credit_cents,
    };
    await moveBatch(tx, batch, { to: 'generated', by, action: 'generate', after });
  });
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
         where e.batch_id = ${batchId} and e.released_at is null order by e.disbursement_id`,
  );
  return rows.map(({ user_id, account_number, ...row }) => ({
    ...row,
    account_number: seal.open({ user_id }, account_number),
    reference: `DR ${row.id}`,
    ...(with_notes ? { note: `Payment for request ${row.id}` } : {}),
  }));
}

async function nextModifier(tx: Transaction, day: string): Promise<string> {
  const [files] = await query<{ count: number }>(
    tx,
    sql`select count(*)::int as count from banking_batch where file_day = ${day}`,
  );
  const modifier = MODIFIERS[files?.count ?? 0];
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
