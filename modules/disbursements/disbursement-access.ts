import type { Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { allOf, anyOf, query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { adminHasPermission, type Permission } from '@case-platform/modules/accounts';
import { type CaseReader, caseIsVisible, ownCases, type ToldRequests } from '@case-platform/modules/cases';

/** Admins need any of these to read requests at all; nobody else needs a permission. */
export const REQUEST_READERS = ['view_drs', 'create_drs', 'edit_drs', 'approve_drs'] as const satisfies Permission[];

/** Who sees a request: whoever sees its case, and admins with `view_drs`. A condition on `case_file c`. */
export function disbursementIsVisible(reader: CaseReader): Sql {
  const seesCase = caseIsVisible(reader);
  return reader.user_type === 'admin' ? anyOf([seesCase, adminHasPermission(reader.id, 'view_drs')]) : seesCase;
}

/**
 * Who reads what a request says: as long as nobody has sent it, whoever wrote it, and whoever has changed its amount or payee;
 * once it is sent, everybody who sees it (DRAFT-1). Nothing that a request says is told, searched or counted
 * without this. A condition.
 * @param request the alias of `disbursement_request`.
 */
export function contentIsVisible({ id }: Pick<CaseReader, 'id'>, request = sql`d`): Sql {
  return sql`(${request}.submitted_at is not null or ${request}.created_by = ${id} or ${id} = any (${request}.revised_by))`;
}

/**
 * Who knows that a request is there: whoever reads what it says, and of one that nobody has sent the staff of its case. A
 * condition on `disbursement_request d` and `case_file c`, beside the one on its case.
 */
export function draftIsVisible(reader: CaseReader): Sql {
  const readsIt = contentIsVisible(reader);
  return reader.user_type === 'admin' ? anyOf([readsIt, caseIsVisible(reader)]) : readsIt;
}

/** What a calendar of payments tells this reader of the requests that pay them. */
export function toldRequests(reader: CaseReader): ToldRequests {
  return { known: draftIsVisible(reader), named: contentIsVisible(reader) };
}

/**
 * Who has a part in a request `d`: wrote it, sent it, changed its amount or payee, is paid by it, or has set the account that
 * it is paid to. None of them decides about it, under whatever record (PERSON-5). An expression: an array of
 * ids, of which some may be null.
 */
export const MAKERS = sql`disbursement_insiders(d)`;

/**
 * The newest as a set of ids, one branch a reason, for lists: with `or` PostgreSQL would look at every request there is.
 * None of them lies in a case whose own newest is older than that of so many other cases: one row of each case is read, and
 * then so many of so many cases, however long they all are. Others' drafts are among them for the staff of their cases.
 * @param conditions on `disbursement_request d`.
 * @param newest so many at most.
 * @param onlyOwn those of cases that the reader sees, and not those that they see as requests alone.
 */
export function visibleDisbursements(
  reader: CaseReader,
  { conditions, newest, onlyOwn = false }: { conditions: Sql; newest: number; onlyOwn?: boolean },
): Sql {
  const isStaff = reader.user_type === 'admin';
  const readsIt = contentIsVisible(reader);
  const order = sql`order by d.id desc limit ${newest}`;
  const inCase = isStaff ? conditions : allOf([conditions, readsIt]);
  const ofCase = sql`select d.id from disbursement_request d where d.case_id = k.case_id and ${inCase} order by d.id desc`;
  const cases = sql`select k.case_id from (${ownCases(reader)}) k cross join lateral (${ofCase} limit 1) d ${order}`;
  const ofCases = sql`(select d.id from (${cases}) k cross join lateral (${ofCase} limit ${newest}) d ${order})`;
  if (!isStaff) return ofCases;
  const seesAllCases = adminHasPermission(reader.id, 'view_all_cases');
  const everywhere = onlyOwn
    ? seesAllCases
    : allOf([adminHasPermission(reader.id, 'view_drs', 'view_all_cases'), anyOf([readsIt, seesAllCases])]);
  return sql`(select d.id from disbursement_request d where ${everywhere} and ${conditions} ${order}) union ${ofCases}`;
}

/** @throws {NotFoundError} for a case whose requests this user does not see. */
export async function requireCaseDisbursements(db: Executor, user: CaseReader, caseId: number): Promise<void> {
  const found = await query(
    db,
    sql`select c.id from case_file c where c.id = ${caseId} and ${disbursementIsVisible(user)}`,
  );
  if (found.length === 0) throw new NotFoundError();
}

/** Which of these requests a reader may know of and not read: what they say is their writers' own. */
export async function findDraftsOfOthers(
  db: Executor,
  reader: Pick<User, 'id'>,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await query<{ id: number }>(
    db,
    sql`select d.id from disbursement_request d where d.id = any(${ids}::bigint[]) and not ${contentIsVisible(reader)}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** The case of a request, whoever asks; null when there is no such request. For guards, which then ask about the case. */
export async function findDisbursementCase(db: Executor, id: number): Promise<number | null> {
  const [found] = await query<{ case_id: number }>(db, sql`select case_id from disbursement_request where id = ${id}`);
  return found?.case_id ?? null;
}
