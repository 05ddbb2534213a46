import { recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser, User } from '@case-platform/modules/accounts';
import { type CasePerson, personJson } from '@case-platform/modules/cases';
import {
  type AttachedFile,
  attachedFileColumns,
  attachFile,
  beginUpload,
  joinPicture,
  removeAttachedFiles,
  type Storage,
  showAttachedFile,
  type UploadDescriptor,
} from '@case-platform/modules/storage';
import { RECEIPTS_MAX } from '@case-platform/words/limits';
import { describeDisbursement } from './describe-disbursement.ts';
import { contentIsVisible } from './disbursement-access.ts';
import { type LockedDisbursement, lockDisbursement } from './lock-disbursement.ts';
import { requireMaker } from './require-maker-or-checker.ts';

export interface FilesContext {
  db: Database;
  storage: Storage;
  now: () => Date;
}

export interface DisbursementFile {
  id: number;
  filename: string;
  content_type: string;
  /** In bytes. */
  size: number;
  uploaded_by: CasePerson;
  created_at: Date;
  /** Works for one hour; null while the reader may not open it, because the picture still has location data (PICTURE-1). */
  url: string | null;
  url_expires_at: string | null;
}

type FileRow = AttachedFile & Omit<DisbursementFile, 'url' | 'url_expires_at'> & { disbursement_id: number };

/**
 * Lists receipts by request, oldest first, without those of drafts of others. The caller must have checked access to the
 * requests.
 */
export async function listDisbursementFiles(
  { db, storage, now }: FilesContext,
  user: Pick<User, 'id'>,
  disbursementIds: readonly number[],
): Promise<ReadonlyMap<number, DisbursementFile[]>> {
  const files = new Map<number, DisbursementFile[]>(disbursementIds.map((id) => [id, []]));
  if (disbursementIds.length === 0) return files;
  const rows = await query<FileRow>(
    db,
    sql`select f.id, f.disbursement_id, ${attachedFileColumns(sql`f`)}, f.created_at, ${personJson('u')} as uploaded_by
          from disbursement_file f
          join disbursement_request d on d.id = f.disbursement_id and ${contentIsVisible(user)}
          join user_account u on u.id = f.uploaded_by
          ${joinPicture(sql`f`)}
         where f.disbursement_id = any(${disbursementIds}::bigint[]) order by f.disbursement_id, f.id`,
  );
  for (const row of rows) {
    const isOwner = row.uploaded_by.user_id === user.id;
    const { disbursement_id, picture_state: _, ...file } = showAttachedFile(storage, row, { isOwner }, now());
    files.get(disbursement_id)?.push(file);
  }
  return files;
}

/**
 * Begins the direct upload of a receipt (REQUEST-12).
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone who may not change the request.
 * @throws {ConflictError} once it is decided, or has 20 receipts. @throws as `beginUpload`.
 */
export async function beginReceipt(
  { db, storage, now }: FilesContext,
  id: number,
  file: { filename: string; content_type: string; size?: number | undefined },
  by: ChangedByUser,
): Promise<UploadDescriptor> {
  await db.transaction((tx) => lockForReceipt(tx, id, by.actor));
  const binding = { user_id: by.actor.id, purpose: 'disbursement_receipt', subject_id: id } as const;
  return beginUpload(db, storage, { ...binding, ...file }, now());
}

/** Confirms an uploaded receipt. @throws as `beginReceipt` and `attachFile`. */
export async function confirmReceipt(
  { db, storage, now }: FilesContext,
  id: number,
  receipt: { file_key: string; idempotencyKey?: string | undefined },
  by: ChangedByUser,
): Promise<{ id: number }> {
  const upload = { ...receipt, user_id: by.actor.id, purpose: 'disbursement_receipt', subject_id: id } as const;
  return attachFile({ db, storage }, upload, now(), async (tx, { filename, content_type, size, storage_key }) => {
    const request = await lockForReceipt(tx, id, by.actor);
    const [file] = await query<{ id: number }>(
      tx,
      sql`insert into disbursement_file (disbursement_id, filename, content_type, size, storage_key, uploaded_by)
          values (${id}, ${filename}, ${content_type}, ${size}, ${storage_key}, ${by.actor.id}) returning id`,
    );
    await recordFile(tx, request, { by, verb: 'add_file', file: { file_id: file?.id, filename } });
    return { id: file?.id ?? 0 };
  });
}

/**
 * Deletes a receipt of a draft (REQUEST-12).
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone who may not change the request. @throws {ConflictError} once it was
 * submitted.
 */
export async function removeReceipt(
  { db }: Pick<FilesContext, 'db'>,
  { id, fileId }: { id: number; fileId: number },
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    const request = await lockDisbursement(tx, by.actor, id);
    requireMaker(request, by.actor);
    if (request.status !== 'draft') throw new ConflictError('You can’t remove receipts once a request is sent.', 'wrong_state');
    const [file] = await removeAttachedFiles<{ filename: string; storage_key: string }>(
      tx,
      sql`delete from disbursement_file where id = ${fileId} and disbursement_id = ${id} returning filename, storage_key`,
    );
    if (file === undefined) throw new NotFoundError();
    await recordFile(tx, request, { by, verb: 'remove_file', file: { file_id: fileId, filename: file.filename } });
  });
}

async function lockForReceipt(tx: Transaction, id: number, actor: User): Promise<LockedDisbursement> {
  const request = await lockDisbursement(tx, actor, id);
  requireMaker(request, actor);
  if (request.status !== 'draft' && request.status !== 'submitted') {
    throw new ConflictError('You can’t add receipts once a request is decided.', 'wrong_state');
  }
  if ((await countFiles(tx, id)) >= RECEIPTS_MAX) {
    throw new ConflictError(`A request can have up to ${RECEIPTS_MAX} receipts.`, 'too_many_files');
  }
  return request;
}

async function countFiles(tx: Executor, id: number): Promise<number> {
  const [row] = await query<{ count: number }>(
    tx,
    sql`select count(*) as count from disbursement_file where disbursement_id = ${id}`,
  );
  return row?.count ?? 0;
}

async function recordFile(
  tx: Transaction,
  request: LockedDisbursement,
  { by, verb, file }: { by: ChangedByUser; verb: 'add_file' | 'remove_file'; file: Record<string, unknown> },
): Promise<void> {
  await query(tx, sql`update disbursement_request set updated_at = now() where id = ${request.id}`);
  await recordAudit(tx, {
    ...by,
    action: `disbursement.${verb}`,
    subject_id: request.id,
    subject_label: describeDisbursement(request),
    case_id: request.case_id,
    ...(verb === 'add_file' ? { after: file } : { before: file }),
  });
}
