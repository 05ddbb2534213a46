import type { Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { anyOf, query, type Sql, sql } from '@case-platform/lib/sql';
import { type CaseReader, caseIsVisible, ownCases } from '@case-platform/modules/cases';
import { adminHolds } from '@case-platform/modules/permissions';

/** Who sees a request: whoever sees its case, and admins with `view_drs`. A condition on `case_file c`. */
export function disbursementIsVisible(reader: CaseReader): Sql {
  const seesCase = caseIsVisible(reader);
  return reader.user_type === 'admin' ? anyOf([seesCase, adminHolds(reader.id, 'view_drs')]) : seesCase;
}

/**
 * What nobody has sent yet is its writer's own; staff see that it is there (decisions, section 14). A condition on
 * `disbursement_request d`, beside the one on its case.
 */
export function draftIsVisible({ id, user_type }: CaseReader): Sql {
  return user_type === 'admin' ? sql`true` : sql`(d.submitted_at is not null or d.created_by = ${id})`;
}

/**
 * Who has a part in a request `d`: wrote it, sent it, changed its amount or payee, is paid by it, or has set the account that
 * it is paid to. None of them decides about it, under whatever record (decisions, section 11). An expression: an array of
 * ids, of which some may be null.
 */
export const MAKERS = sql`disbursement_insiders(d)`;

/**
 * The newest as a set of ids, one branch a reason, for lists: with `or` PostgreSQL would look at every request there is.
 * None of them lies in a case whose own newest is older than that of so many other cases: one row of each case is read, and
 * then so many of so many cases, however long they all are.
 * @param conditions on `disbursement_request d`.
 * @param newest so many at most.
 * @param onlyOwn those of cases that the reader sees, and not those that they see as requests alone.
 */
export function visibleDisbursements(
  reader: CaseReader,
  { conditions, newest, onlyOwn = false }: { conditions: Sql; newest: number; onlyOwn?: boolean },
): Sql {
  const order = sql`order by d.id desc limit ${newest}`;
  const ofCase = sql`select d.id from disbursement_request d where d.case_id = k.case_id and ${conditions} order by d.id desc`;
  const cases = sql`select k.case_id from (${ownCases(reader)}) k cross join lateral (${ofCase} limit 1) d ${order}`;
  const ofCases = sql`(select d.id from (${cases}) k cross join lateral (${ofCase} limit ${newest}) d ${order})`;
  if (reader.user_type !== 'admin') return ofCases;
  const everywhere = onlyOwn
    ? adminHolds(reader.id, 'view_all_cases')
    : adminHolds(reader.id, 'view_drs', 'view_all_cases');
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

/** The case of a request, whoever asks; null when there is no such request. For guards, which then ask about the case. */
export async function findDisbursementCase(db: Executor, id: number): Promise<number | null> {
  const [found] = await query<{ case_id: number }>(db, sql`select case_id from disbursement_request where id = ${id}`);
  return found?.case_id ?? null;
}
