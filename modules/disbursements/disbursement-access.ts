import type { Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { allOf, anyOf, limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { adminHasPermission, findPermissions, type Permission } from '@case-platform/modules/accounts';
import { type CaseReader, caseIsVisible, ownCases, type RequestConditions } from '@case-platform/modules/cases';

/** Admins need one of these permissions to read requests; other people need none. */
export const REQUEST_READERS = ['view_drs', 'create_drs', 'edit_drs', 'approve_drs'] as const satisfies Permission[];

/** Admins with one of these permissions see what a payment needs of approved requests, also on cases that they do not see. */
export const PAYERS = ['create_nacha', 'approve_nacha', 'make_payments'] as const satisfies Permission[];

/** A condition on `disbursement_request d`: the reader works on payments, and the request is approved or later (CASE-2). */
export function isForPayers(reader: Pick<CaseReader, 'id'>): Sql {
  return sql`(d.status in ('approved', 'batched', 'paid', 'returned', 'ended') and ${adminHasPermission(reader.id, ...PAYERS)})`;
}

/** True for everyone except admins without a permission to read requests, who see only what a payment needs (CASE-2). */
export async function readsRequests(db: Executor, { id, user_type }: Pick<User, 'id' | 'user_type'>): Promise<boolean> {
  if (user_type !== 'admin') return true;
  const permissions = await findPermissions(db, id);
  return REQUEST_READERS.some((permission) => permissions.has(permission));
}

/**
 * A condition on `disbursement_request d` and `case_file c`: the reader sees the request, because they see its case, or because
 * they pay it (REQUEST-11). Someone who only pays it gets a part of its content; see `listDisbursements`.
 */
export function disbursementIsVisible(reader: CaseReader): Sql {
  const seesCase = caseIsVisible(reader);
  return reader.user_type === 'admin' ? anyOf([seesCase, isForPayers(reader)]) : seesCase;
}

/**
 * A condition: the reader may read the content of a request. A request that was never submitted, or is a draft again, is only
 * read by its maker and people who changed its amount or payee; a submitted one by everyone who sees it (DRAFT-1, DRAFT-3). Every
 * statement that shows, searches, or counts content must use this.
 * @param request the alias of `disbursement_request`.
 */
export function contentIsVisible({ id }: Pick<CaseReader, 'id'>, request = sql`d`): Sql {
  return sql`(${request}.submitted_at is not null or ${request}.created_by = ${id} or ${id} = any (${request}.revised_by))`;
}

/**
 * A condition on `disbursement_request d` and `case_file c`: the reader may know that the request exists, because they may read
 * it or, for a draft, are staff of its case (DRAFT-1). It does not replace the condition on the case.
 */
export function draftIsVisible(reader: CaseReader): Sql {
  const readsIt = contentIsVisible(reader);
  return reader.user_type === 'admin' ? anyOf([readsIt, caseIsVisible(reader)]) : readsIt;
}

/** The requests that a calendar shows to this reader. */
export function requestConditions(reader: CaseReader): RequestConditions {
  return { isVisible: draftIsVisible(reader), isReadable: contentIsVisible(reader) };
}

/**
 * An expression: the ids of everyone with a part in a request `d`, some of which may be null. They wrote it, sent it, changed its
 * amount or payee, are paid by it, or set the account that it is paid to, so none of them decides about it (PERSON-5).
 */
export const MAKERS = sql`disbursement_insiders(d)`;

/**
 * The newest visible requests as a set of ids, with one branch per reason, because PostgreSQL would read all requests if the
 * reasons were joined with `or`. It first finds the cases with the newest requests by reading one row per case, and then reads
 * the newest requests of those cases only. For staff it includes drafts of others in their cases.
 * @param conditions on `disbursement_request d`.
 * @param newest the maximum number.
 * @param onlyOwn only requests of cases that the reader sees, without those that they only pay.
 */
export function visibleDisbursements(
  reader: CaseReader,
  { conditions, newest, onlyOwn = false }: { conditions: Sql; newest: number; onlyOwn?: boolean },
): Sql {
  const isStaff = reader.user_type === 'admin';
  const readsIt = contentIsVisible(reader);
  const order = sql`order by d.id desc ${limitTo(newest)}`;
  const inCase = isStaff ? conditions : allOf([conditions, readsIt]);
  const ofCase = sql`select d.id from disbursement_request d where d.case_id = k.case_id and ${inCase} order by d.id desc`;
  const cases = sql`select k.case_id from (${ownCases(reader)}) k cross join lateral (${ofCase} limit 1) d ${order}`;
  const ofCases = sql`(select d.id from (${cases}) k cross join lateral (${ofCase} ${limitTo(newest)}) d ${order})`;
  if (!isStaff) return ofCases;
  const seesAllCases = adminHasPermission(reader.id, 'view_all_cases');
  const all = (reason: Sql) => sql`(select d.id from disbursement_request d where ${reason} and ${conditions} ${order})`;
  const others = onlyOwn ? all(seesAllCases) : sql`${all(seesAllCases)} union ${all(isForPayers(reader))}`;
  return sql`${others} union ${ofCases}`;
}

/** @throws {NotFoundError} for a case that this user does not see (CASE-2). */
export async function requireCaseDisbursements(db: Executor, user: CaseReader, caseId: number): Promise<void> {
  const cases = await query(db, sql`select c.id from case_file c where c.id = ${caseId} and ${caseIsVisible(user)}`);
  if (cases.length === 0) throw new NotFoundError();
}

/** Finds which of these requests a reader may know about but not read (DRAFT-1). */
export async function findDraftsOfOthers(db: Executor, reader: Pick<User, 'id'>, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await query<{ id: number }>(
    db,
    sql`select d.id from disbursement_request d where d.id = any(${ids}::bigint[]) and not ${contentIsVisible(reader)}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The case of a request, without checking access, or null for an unknown request. For guards, which then check the case. */
export async function findDisbursementCase(db: Executor, id: number): Promise<number | null> {
  const [request] = await query<{ case_id: number }>(db, sql`select case_id from disbursement_request where id = ${id}`);
  return request?.case_id ?? null;
}
