import { createHash } from 'node:crypto';
import type { Database, DatabaseTransaction } from '@case-platform/db';
import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import { run } from '@case-platform/lib/database';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import { oneLine } from '@case-platform/lib/human-text';
import { returnDisbursement } from '@case-platform/modules/disbursements';
import { lockBanking } from './banking-lock.ts';
import { flagAccount } from './flag-account.ts';
import { type ReturnFileEntry, readReturnFile } from './nacha/read-return-file.ts';
import { type AccountSeal, createAccountSeal } from './seal-account-number.ts';

export type ReturnOutcome = 'returned' | 'corrected' | 'already_returned' | 'not_ours';

export interface AppliedReturn {
  line: number;
  code: string;
  reason: string;
  name: string;
  amount_cents: number;
  outcome: ReturnOutcome;
  /** The request that it is about; null where nothing of ours has this trace number and amount. */
  disbursement_id: number | null;
  case_id: number | null;
}

const FILENAME_MAX = 255;

/**
 * Reads a file of what came back and applies all of it: a return ends its payment, a notification of change flags the account
 * (decisions, section 8). A file works once.
 * @returns each entry with what was done.
 * @throws {InvalidInputError} for anything but a whole file. @throws {ConflictError} for a file that was read before, or an
 * entry of a batch that is not settled yet: nothing is applied then.
 */
export async function applyReturns(
  { db, encryptionKey }: { db: Database; encryptionKey: string },
  file: { filename: string; text: string },
  { by, now }: { by: ChangedBy; now: Date },
): Promise<AppliedReturn[]> {
  const entries = readReturnFile(file.text);
  const sha256 = createHash('sha256').update(file.text).digest();
  const seal = createAccountSeal(encryptionKey);
  return db.transaction().execute(async (tx) => {
    await lockBanking(tx);
    const fileId = await insertFile(tx, file.filename, sha256, by);
    const applied: AppliedReturn[] = [];
    for (const entry of entries) applied.push(await applyEntry(tx, seal, { entry, fileId, by, now }));
    await recordAudit(tx, {
      ...by,
      action: 'bank_return_file.apply',
      subject_id: fileId,
      subject_label: file.filename,
      after: {
        sha256: sha256.toString('hex'),
        entries: applied.map(({ code, outcome, disbursement_id }) => ({ code, outcome, disbursement_id })),
      },
    });
    return applied;
  });
}

async function insertFile(tx: DatabaseTransaction, filename: string, sha256: Buffer, by: ChangedBy): Promise<number> {
  const name = oneLine(filename).slice(0, FILENAME_MAX).toWellFormed();
  if (name === '') throw invalid('file', 'Choose the file that the bank has given.');
  const [file] = await run<{ id: number }>(
    tx,
    `insert into bank_return_file (file_sha256, filename, uploaded_by) values ($1, $2, $3)
     on conflict (file_sha256) do nothing returning id`,
    [sha256, name, by.actor?.id ?? null],
  );
  if (file === undefined) throw new ConflictError('This file was read before: nothing was changed.', 'already_applied');
  return file.id;
}

interface OwnEntry {
  id: number;
  batch_id: number;
  batch_status: string;
  disbursement_id: number;
  case_id: number;
  bank_account_id: number;
  returned_at: Date | null;
}

/** Trace numbers begin again after ten million entries: the newest one is meant. A return has its payment's amount. */
async function findOwnEntry(tx: DatabaseTransaction, entry: ReturnFileEntry): Promise<OwnEntry | null> {
  const [found] = await run<OwnEntry>(
    tx,
    `select e.id, e.batch_id, b.status as batch_status, e.disbursement_id, d.case_id, e.bank_account_id,
            e.returned_at
       from banking_batch_entry e join banking_batch b on b.id = e.batch_id
       join disbursement_request d on d.id = e.disbursement_id
      where e.trace_number = $1 and e.released_at is null and b.status in ('outcome_unknown', 'transmitted', 'settled')
        and ($2::bigint is null or e.amount_cents = $2::bigint)
      order by e.id desc limit 1`,
    [entry.original_trace, entry.kind === 'return' ? entry.amount_cents : null],
  );
  return found ?? null;
}

interface Applying {
  entry: ReturnFileEntry;
  fileId: number;
  by: ChangedBy;
  now: Date;
}

async function applyEntry(tx: DatabaseTransaction, seal: AccountSeal, applying: Applying): Promise<AppliedReturn> {
  const { entry, fileId } = applying;
  const own = await findOwnEntry(tx, entry);
  const outcome = own === null ? 'not_ours' : await applyToOwn(tx, seal, { ...applying, own });
  await run(
    tx,
    `insert into bank_return_entry (file_id, line, code, original_trace, amount_cents, batch_entry_id, outcome)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [fileId, entry.line, entry.code, entry.original_trace, entry.amount_cents, own?.id ?? null, outcome],
  );
  const { line, code, reason, name, amount_cents } = entry;
  const about = { disbursement_id: own?.disbursement_id ?? null, case_id: own?.case_id ?? null };
  return { line, code, reason, name, amount_cents, outcome, ...about };
}

async function applyToOwn(
  tx: DatabaseTransaction,
  seal: AccountSeal,
  { entry, own, by, now }: Applying & { own: OwnEntry },
): Promise<ReturnOutcome> {
  if (entry.kind === 'change') {
    const { code, correction } = entry;
    await flagAccount(tx, seal, { bankAccountId: own.bank_account_id, code, correction, by, now });
    return 'corrected';
  }
  if (own.returned_at !== null) return 'already_returned';
  if (own.batch_status !== 'settled')
    throw new ConflictError(
      `Line ${entry.line} is about batch ${own.batch_id}, which is not settled yet. Settle it, then read this file again.`,
      'not_settled',
    );
  await run(tx, 'update banking_batch_entry set returned_at = $2, return_code = $3 where id = $1', [
    ...[own.id, now, entry.code],
  ]);
  await returnDisbursement(tx, own.disbursement_id, entry.code, by, now);
  await flagAccount(tx, seal, { bankAccountId: own.bank_account_id, code: entry.code, correction: null, by, now });
  return 'returned';
}
