import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { query, sql } from '@case-platform/lib/sql';
import { moveDatesOfPayees, returnDisbursement, sendDisbursements } from '@case-platform/modules/disbursements';
import { needsOtherAccount } from '@case-platform/words/bank-reasons';
import { flagAccount } from '../bank-accounts/flag-account.ts';
import { type AccountSeal, createAccountSeal } from '../bank-accounts/seal-account-number.ts';
import { unbatchPayments } from '../bank-accounts/unbatch-payments.ts';
import { type LockedBatch, moveBatch, requireNotMaker } from '../batches/batch.ts';
import { listEntryIds } from '../batches/release-entries.ts';
import type { PlannedReturn } from './plan-returns.ts';

interface Applying {
  fileId: number;
  by: ChangedBy;
}

/**
 * Applies the planned outcome of a return file, in the transaction that locked and planned it: a return ends its payment, and a
 * notification of change flags the account (RETURN-1, RETURN-5). A return about the account takes later payments to it out of
 * batches (RETURN-4).
 * @throws {ForbiddenError} `same_person` for the maker of a batch whose outcome was not recorded yet.
 */
export async function applyReturns(
  tx: Transaction,
  encryptionKey: EncryptionKey,
  file: { id: number; filename: string; sha256: string; planned: readonly PlannedReturn[] },
  by: ChangedBy,
  now: Date,
): Promise<void> {
  const seal = createAccountSeal(encryptionKey);
  await confirmOutcomes(tx, file.planned, by, now);
  const stoppedPayees = new Set<number>();
  for (const planned of file.planned) {
    const payeeId = await applyOne(tx, seal, planned, { fileId: file.id, by }, now);
    if (payeeId !== null) stoppedPayees.add(payeeId);
  }
  // Once for the whole file, so that people get one mail about all moved days.
  if (stoppedPayees.size > 0) await moveDatesOfPayees(tx, [...stoppedPayees], { now });
  await recordAudit(tx, {
    ...by,
    action: 'bank_return_file.apply',
    subject_id: file.id,
    subject_label: file.filename,
    after: {
      sha256: file.sha256,
      entries: file.planned.map(({ entry: { code }, outcome, own }) => {
        return { code, outcome, disbursement_id: own?.disbursement_id ?? null };
      }),
    },
  });
}

/**
 * A returned payment proves that the bank has the file, so its batch needs no recorded outcome and is not sent again (RETURN-6).
 */
async function confirmOutcomes(tx: Transaction, plan: readonly PlannedReturn[], by: ChangedBy, now: Date): Promise<void> {
  const ids = plan.flatMap(({ own, outcome }) => (own === null || outcome === 'noted' ? [] : [own.batch_id]));
  const unknown = await query<Pick<LockedBatch, 'id' | 'status' | 'created_by'>>(
    tx,
    sql`select id, status, created_by from banking_batch
         where id = any(${ids}::bigint[]) and status = 'outcome_unknown' order by id`,
  );
  const note = 'The bank has answered about one of its payments.';
  for (const batch of unknown) {
    await requireNotMaker(tx, batch, by, 'confirm that the bank has it');
    await moveBatch(tx, batch, { to: 'transmitted', by, note, action: 'confirm_outcome' });
    await sendDisbursements(tx, await listEntryIds(tx, batch.id), by, now);
  }
}

/** @returns the payee if their account sent the payment back, because other payments to it would come back as well. */
async function applyOne(
  tx: Transaction,
  seal: AccountSeal,
  { entry, own, outcome }: PlannedReturn,
  { fileId, by }: Applying,
  now: Date,
): Promise<number | null> {
  const { code } = entry;
  await query(
    tx,
    sql`insert into bank_return_entry (file_id, line, code, original_trace, amount_cents, batch_entry_id, outcome)
        values (${fileId}, ${entry.line}, ${code}, ${entry.original_trace}, ${entry.amount_cents}, ${own?.id ?? null},
                ${outcome})`,
  );
  if (own === null || outcome === 'already_returned' || outcome === 'noted') return null;
  if (outcome === 'returned') {
    await query(tx, sql`update banking_batch_entry set returned_at = ${now}, return_code = ${code} where id = ${own.id}`);
    await returnDisbursement(tx, own.disbursement_id, code, by, now);
  }
  const correction = entry.kind === 'change' ? entry.correction : null;
  await flagAccount(tx, seal, { bankAccountId: own.bank_account_id, code, correction, by }, now);
  if (!needsOtherAccount(code)) return null;
  await unbatchPayments(tx, own.bank_account_id, { why: 'sent_back', by }, now);
  return own.payee_id;
}
