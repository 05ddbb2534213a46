import { recordAudit } from '@case-platform/lib/audit';
import { defineIdCursor } from '@case-platform/lib/cursor';
import type { Database, Executor } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { limitTo, query, rowsFor, type Sql, sql } from '@case-platform/lib/sql';
import { type ChangedByUser, findAdminRights, fullName, type User } from '@case-platform/modules/accounts';
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
import type { UserType } from '@case-platform/words/user-types';
import { canAccessCase, caseIsVisible } from './case-access.ts';

interface DocumentContext {
  db: Database;
  storage: Storage;
}

/** Others than its uploader see a picture once its location data was removed (PICTURE-1). */
export interface CaseDocument extends Omit<AttachedFile, 'storage_key'> {
  id: number;
  case_id: number;
  uploaded_by: { user_type: UserType; user_id: number; name: string };
  created_at: Date;
  /** Works for one hour; null while the reader may not open it yet. */
  url: string | null;
  url_expires_at: string | null;
  can_delete: boolean;
}

interface DocumentRow extends Omit<CaseDocument, 'uploaded_by' | 'url' | 'url_expires_at' | 'can_delete'> {
  storage_key: string;
  uploader_id: number;
  uploader_type: UserType;
  uploader_name: string;
}

const CURSOR = defineIdCursor('document');
const fromVisible = (user: User, caseId: number): Sql => sql`
  select d.id, d.case_id, ${attachedFileColumns(sql`d`)}, d.created_at, u.id as uploader_id, u.user_type as uploader_type,
         ${fullName(sql`u`)} as uploader_name
    from case_document d
    join case_file c on c.id = d.case_id
    join user_account u on u.id = d.uploaded_by
    ${joinPicture(sql`d`)}
   where c.id = ${caseId} and ${caseIsVisible(user)}`;

/**
 * Lists the documents of a case, newest first, in keyset pages.
 * @throws {NotFoundError} for a case that the user does not see. @throws {InvalidInputError} for a cursor of another list.
 */
export async function listCaseDocuments(
  { db, storage }: DocumentContext,
  user: User,
  caseId: number,
  { limit = 25, cursor }: { limit?: number | undefined; cursor?: string | undefined },
  now: Date,
): Promise<{ data: CaseDocument[]; next_cursor: string | null }> {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : CURSOR.read(cursor);
  if (!(await canAccessCase(db, user, caseId))) throw new NotFoundError();
  const rows = await query<DocumentRow>(
    db,
    sql`${fromVisible(user, caseId)} and d.id < ${before} order by d.id desc ${limitTo(rowsFor(limit))}`,
  );
  const canDeleteAll = await canEditCase(db, user);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    data: page.map((row) => showDocument(storage, user, row, { canDeleteAll, now })),
    next_cursor: last === undefined ? null : CURSOR.write(last.id),
  };
}

/**
 * Begins the upload of a document. Everyone who sees the case may add one (UPLOAD-10).
 * @throws {NotFoundError} for a case that the user does not see; otherwise as `beginUpload`.
 */
export async function beginCaseDocument(
  { db, storage }: DocumentContext,
  user: User,
  caseId: number,
  file: { filename: string; content_type: string; size?: number | undefined },
  now: Date,
): Promise<UploadDescriptor> {
  if (!(await canAccessCase(db, user, caseId))) throw new NotFoundError();
  const binding = { user_id: user.id, purpose: 'case_document', subject_id: caseId } as const;
  return beginUpload(db, storage, { ...binding, ...file }, now);
}

/**
 * Confirms an uploaded document. Access is checked again in the transaction, because the user may have left the case.
 * @throws {NotFoundError} for a case that the user does not see; otherwise as `attachFile`.
 */
export async function confirmCaseDocument(
  { db, storage }: DocumentContext,
  user: User,
  caseId: number,
  file: { file_key: string; idempotencyKey?: string | undefined },
  now: Date,
): Promise<CaseDocument> {
  if (!(await canAccessCase(db, user, caseId))) throw new NotFoundError();
  const upload = { ...file, user_id: user.id, purpose: 'case_document', subject_id: caseId } as const;
  const { id } = await attachFile({ db, storage }, upload, now, async (tx, { filename, content_type, size, storage_key }) => {
    if (!(await canAccessCase(tx, user, caseId))) throw new NotFoundError();
    const [document] = await query<{ id: number }>(
      tx,
      sql`insert into case_document (case_id, filename, content_type, size, storage_key, uploaded_by, created_at)
          values (${caseId}, ${filename}, ${content_type}, ${size}, ${storage_key}, ${user.id}, ${now}) returning id`,
    );
    return { id: document?.id ?? 0 };
  });
  const row = await findDocument(db, user, { caseId, documentId: id });
  return showDocument(storage, user, row, { canDeleteAll: await canEditCase(db, user), now });
}

/**
 * Deletes a document. Its uploader may, and admins with `edit_case_details`.
 * @throws {NotFoundError} for a document that the user does not see. @throws {ForbiddenError} for one that they may not delete.
 */
export async function removeCaseDocument(
  { db }: Pick<DocumentContext, 'db'>,
  { caseId, documentId }: { caseId: number; documentId: number },
  by: ChangedByUser,
): Promise<void> {
  const user = by.actor;
  await db.transaction(async (tx) => {
    const row = await findDocument(tx, user, { caseId, documentId });
    if (row.uploader_id !== user.id && !(await canEditCase(tx, user))) {
      throw new ForbiddenError('Only the person who added a document can remove it.');
    }
    const [file] = await removeAttachedFiles(tx, sql`delete from case_document where id = ${documentId} returning storage_key`);
    if (file === undefined) throw new NotFoundError();
    const { filename, content_type, size, uploader_id: uploaded_by } = row;
    await recordAudit(tx, {
      ...by,
      action: 'case_document.delete',
      subject_id: documentId,
      subject_label: filename,
      case_id: caseId,
      before: { filename, content_type, size, uploaded_by },
    });
  });
}

async function findDocument(
  db: Executor,
  user: User,
  { caseId, documentId }: { caseId: number; documentId: number },
): Promise<DocumentRow> {
  const [row] = await query<DocumentRow>(db, sql`${fromVisible(user, caseId)} and d.id = ${documentId}`);
  if (row === undefined) throw new NotFoundError();
  return row;
}

async function canEditCase(db: Executor, user: User): Promise<boolean> {
  return user.user_type === 'admin' && (await findAdminRights(db, user.id)).permissions.has('edit_case_details');
}

function showDocument(
  storage: Storage,
  user: User,
  { uploader_id, uploader_type, uploader_name, ...row }: DocumentRow,
  { canDeleteAll, now }: { canDeleteAll: boolean; now: Date },
): CaseDocument {
  const own = uploader_id === user.id;
  return {
    ...showAttachedFile(storage, row, { isOwner: own }, now),
    uploaded_by: { user_type: uploader_type, user_id: uploader_id, name: uploader_name },
    can_delete: own || canDeleteAll,
  };
}
