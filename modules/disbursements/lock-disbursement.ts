import type { Transaction } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { findPermissions, type Permission, type User } from '@case-platform/modules/accounts';
import { caseIsVisible, designatedApprover } from '@case-platform/modules/cases';
import { type LockedCase, lockCase } from '@case-platform/modules/ledger';
import { contentIsVisible, disbursementIsVisible, draftIsVisible, MAKERS } from './disbursement-access.ts';
import type { DisbursementStatus } from './disbursement-states.ts';

/** A request that is locked, together with its case and the case's money, until the end of the transaction. */
export interface LockedDisbursement {
  id: number;
  case_id: number;
  status: DisbursementStatus;
  amount_cents: number;
  category: string;
  description: string;
  payee_id: number;
  created_by: number;
  submitted_by: number | null;
  /** People with a part in it; see `MAKERS`. */
  makers: readonly number[];
  /** For a draft or cancelled request, the person who would have to approve it. */
  approver_id: number | null;
  scheduled_payment_id: number | null;
  case: LockedCase;
}

const LOCKED_COLUMNS = sql`d.id, d.case_id, d.status, d.amount_cents, d.category, d.description, d.payee_id, d.created_by,
  d.submitted_by, d.scheduled_payment_id, to_json(array_remove(${MAKERS}, null)) as makers`;

/** An admin's access to the case and permissions; other people have no permissions. */
export interface Standing {
  sees_case: boolean;
  permissions: ReadonlySet<Permission>;
}

/**
 * Locks a request's case and then the request, always in this order to avoid deadlocks. Access is checked again after locking,
 * because the user may have left the case while this waited. A command on a draft that the user may not read is rejected
 * (DRAFT-2).
 * @param unread allows commands that do not depend on the content.
 * @throws {NotFoundError} if the request does not exist, or the user does not see it.
 * @throws {ForbiddenError} `not_yours` for a draft that the user may know about but not read.
 */
export async function lockDisbursement(
  tx: Transaction,
  user: User,
  id: number,
  { unread = false }: { unread?: boolean } = {},
): Promise<LockedDisbursement & Standing> {
  const [visible] = await query<{ case_id: number }>(
    tx,
    sql`select d.case_id from disbursement_request d join case_file c on c.id = d.case_id
         where d.id = ${id} and ${disbursementIsVisible(user)} and ${draftIsVisible(user)}`,
  );
  const lockedCase = visible === undefined ? undefined : await lockCase(tx, visible.case_id);
  if (visible === undefined || lockedCase === undefined) throw new NotFoundError();
  type Row = Omit<LockedDisbursement, 'case'> & Pick<Standing, 'sees_case'> & { has_content: boolean };
  const [row] = await query<Row>(
    tx,
    sql`select ${LOCKED_COLUMNS}, ${caseIsVisible(user)} as sees_case, ${contentIsVisible(user)} as has_content,
            coalesce(d.approver_id, case when d.status in ('draft', 'cancelled')
              then ${designatedApprover(MAKERS)} end) as approver_id
       from disbursement_request d join case_file c on c.id = d.case_id
      where d.id = ${id} and ${disbursementIsVisible(user)} and ${draftIsVisible(user)} for no key update of d`,
  );
  if (row === undefined) throw new NotFoundError();
  const { has_content, ...request } = row;
  if (!has_content && !unread) throw new ForbiddenError('This is someone else’s draft, so only they can do this.', 'not_yours');
  const permissions = user.user_type === 'admin' ? await findPermissions(tx, user.id) : new Set<Permission>();
  return { ...request, case: lockedCase, permissions };
}

/** Locks many requests and their cases in a fixed order, so that two calls never deadlock. Unknown ids are skipped. */
export async function lockDisbursements(tx: Transaction, ids: readonly number[]): Promise<LockedDisbursement[]> {
  const cases = await query<LockedCase>(
    tx,
    sql`select id, name, status from case_file
         where id in (select case_id from disbursement_request where id = any(${ids}::bigint[])) order by id
           for no key update`,
  );
  const requests = await query<Omit<LockedDisbursement, 'case'>>(
    tx,
    sql`select ${LOCKED_COLUMNS}, d.approver_id from disbursement_request d
      where d.id = any(${ids}::bigint[]) order by d.id for no key update`,
  );
  const byId = new Map(cases.map((lockedCase) => [lockedCase.id, lockedCase]));
  return requests.flatMap((request) => {
    const lockedCase = byId.get(request.case_id);
    return lockedCase === undefined ? [] : [{ ...request, case: lockedCase }];
  });
}
