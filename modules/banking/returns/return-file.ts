import { createHash } from 'node:crypto';
import { recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { type EncryptionKey, open, seal } from '@case-platform/lib/encryption';
import { ChangedError, ConflictError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { cleanLine } from '@case-platform/lib/text/human-text';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { requireSecondPerson } from '@case-platform/modules/accounts';
import { FILENAME_MAX } from '@case-platform/words/limits';
import { lockBanking } from '../banking-lock.ts';
import { parseNote } from '../batches/decide-batch.ts';
import { readReturnFile } from '../nacha/read-return-file.ts';
import { applyReturns } from './apply-returns.ts';
import { type PlannedReturn, planReturns, requestsOf, requireVisibleRequests, versionOf } from './plan-returns.ts';

interface Context {
  db: Database;
  encryptionKey: EncryptionKey;
}

/** The return file that a person decides about, in the version that they saw. */
export interface SeenReturnFile {
  id: number;
  version: string;
}

/** The text contains account numbers, so it is stored encrypted. */
const KIND = 'bank return file';

/**
 * Stores a return file from the bank. It changes nothing until another person has seen what it would do and confirmed it
 * (RETURN-2).
 * @returns its id.
 * @throws {InvalidInputError} when the file is not complete.
 * @throws {ConflictError} when it was uploaded before.
 * @throws {ForbiddenError} `not_visible` when it is about a request that the person does not see.
 */
export async function uploadReturnFile(
  { db, encryptionKey }: Context,
  { filename: given, text }: { filename: string; text: string },
  by: ChangedByUser,
): Promise<number> {
  const entries = readReturnFile(text);
  const filename = cleanLine(given).slice(0, FILENAME_MAX).toWellFormed();
  if (filename === '') throw invalid('file', 'Choose the file you got from the bank.');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return db.transaction(async (tx) => {
    await lockBanking(tx);
    await requireNewFile(tx, sha256);
    const plan = await planReturns(tx, entries);
    const ids = requestsOf(plan);
    await requireVisibleRequests(tx, by.actor, ids);
    const content = seal(encryptionKey, KIND, text, sha256);
    const [file] = await query<{ id: number }>(
      tx,
      sql`insert into bank_return_file (file_sha256, filename, uploaded_by, content, disbursement_ids)
          values (decode(${sha256}, 'hex'), ${filename}, ${by.actor.id}, ${content}, ${ids}) returning id`,
    );
    const subject = { subject_id: file?.id ?? 0, subject_label: filename };
    await recordAudit(tx, { ...by, ...subject, action: 'bank_return_file.take_in', after: { sha256 } });
    return subject.subject_id;
  });
}

async function requireNewFile(tx: Transaction, sha256: string): Promise<void> {
  const [earlier] = await query<{ status: 'waiting' | 'applied' }>(
    tx,
    sql`select status from bank_return_file where file_sha256 = decode(${sha256}, 'hex') and status <> 'refused'`,
  );
  if (earlier?.status === 'applied')
    throw new ConflictError('This file was uploaded before, so nothing was changed.', 'already_applied');
  if (earlier !== undefined)
    throw new ConflictError('This file is already uploaded and waiting for a second person.', 'already_waiting');
}

/**
 * Applies a file that another person uploaded, as a whole: a return ends its payment, and a notification of change flags the
 * account (RETURN-2).
 * @throws {NotFoundError} @throws {ForbiddenError} `same_person`, `not_visible`.
 * @throws {ConflictError} when it was already decided.
 * @throws {ChangedError} when it would do anything else than what was seen.
 */
export async function confirmReturnFile(
  { db, encryptionKey }: Context,
  { id, version }: SeenReturnFile,
  by: ChangedByUser,
  now: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const file = await lockReturnFile(tx, encryptionKey, id);
    const words = 'You uploaded this file, so someone else has to confirm it.';
    await requireSecondPerson(tx, by.actor, [file.uploaded_by], words);
    await requireVisibleRequests(tx, by.actor, requestsOf(file.planned));
    requireSeenPlan(file, version);
    await decide(tx, id, { status: 'applied', by, reason: null });
    await applyReturns(tx, encryptionKey, file, by, now);
  });
}

/**
 * Refuses a file, so that nothing of it is applied; the person who uploaded it can withdraw it the same way. It may be uploaded
 * again.
 * @throws {InvalidInputError} without a reason.
 * @throws as `confirmReturnFile`, except for the same person.
 */
export async function refuseReturnFile(
  { db, encryptionKey }: Context,
  { id, version, reason: text }: SeenReturnFile & { reason: string },
  by: ChangedByUser,
): Promise<void> {
  const reason = parseNote('reason', text);
  await db.transaction(async (tx) => {
    const file = await lockReturnFile(tx, encryptionKey, id);
    await requireVisibleRequests(tx, by.actor, requestsOf(file.planned));
    requireSeenPlan(file, version);
    await decide(tx, id, { status: 'refused', by, reason });
    const subject = { subject_id: id, subject_label: file.filename };
    await recordAudit(tx, {
      ...by,
      ...subject,
      action: 'bank_return_file.refuse',
      after: { sha256: file.sha256, reason },
    });
  });
}

interface LockedReturnFile {
  id: number;
  filename: string;
  sha256: string;
  uploaded_by: number;
  planned: PlannedReturn[];
}

async function lockReturnFile(tx: Transaction, encryptionKey: EncryptionKey, id: number): Promise<LockedReturnFile> {
  await lockBanking(tx);
  type Row = Omit<LockedReturnFile, 'planned'> & { content: Buffer | null };
  const [row] = await query<Row>(
    tx,
    sql`select id, filename, encode(file_sha256, 'hex') as sha256, uploaded_by, content
          from bank_return_file where id = ${id} for update`,
  );
  if (row === undefined) throw new NotFoundError();
  const { content, ...file } = row;
  if (content === null) throw new ConflictError('This file was already confirmed or refused.', 'wrong_state');
  return { ...file, planned: await planReturns(tx, openReturnFile(encryptionKey, file.sha256, content)) };
}

/** The entries of a waiting file. @throws when its content does not belong to the stored SHA-256. */
export function openReturnFile(encryptionKey: EncryptionKey, sha256: string, content: Buffer) {
  return readReturnFile(open(encryptionKey, KIND, content, sha256));
}

function requireSeenPlan({ sha256, planned }: LockedReturnFile, version: string): void {
  if (versionOf(sha256, planned) === version) return;
  throw new ChangedError('What this file will do changed after you opened it. Check it again, then decide.');
}

async function decide(
  tx: Transaction,
  id: number,
  { status, by, reason }: { status: 'applied' | 'refused'; by: ChangedByUser; reason: string | null },
): Promise<void> {
  await query(
    tx,
    sql`update bank_return_file set status = ${status}, decided_by = ${by.actor.id}, decided_at = clock_timestamp(),
               decision_reason = ${reason}, content = null where id = ${id}`,
  );
}
