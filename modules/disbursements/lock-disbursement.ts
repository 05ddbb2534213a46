import type { Transaction } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { findPermissions, type Permission, type User } from '@case-platform/modules/accounts';
import { caseIsVisible, designatedApprover } from '@case-platform/modules/cases';
import { type LockedCase, lockCase } from '@case-platform/modules/ledger';
import { contentIsVisible, disbursementIsVisible, draftIsVisible, MAKERS } from './disbursement-access.ts';
import type { DisbursementStatus } from './disbursement-states.ts';

/** A request that nobody else can change before the transaction ends, nor its case's money. */
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
  /** Who has a part in it: `MAKERS`. */
  makers: readonly number[];
  /** While nobody has been asked: who would be. */
  approver_id: number | null;
  scheduled_payment_id: number | null;
  case: LockedCase;
}

const LOCKED_COLUMNS = sql`d.id, d.case_id, d.status, d.amount_cents, d.category, d.description, d.payee_id, d.created_by,
  d.submitted_by, d.scheduled_payment_id, to_json(array_remove(${MAKERS}, null)) as makers`;

/** What an admin may do to requests here; nobody else has permissions. */
export interface Standing {
  sees_case: boolean;
  permissions: ReadonlySet<Permission>;
}

/**
 * Locks a request and its case, always the case first, so that two never wait for each other. What the user sees is asked
 * again once it is locked: they may have left the case while this waited. Nobody changes, sends or decides about what they may
 * not read (DRAFT-2).
 * @param unread for what is done to a request whatever it says.
 * @throws {NotFoundError} when there is none, or the user does not see it.
 * @throws {ForbiddenError} `not_yours` for a draft that the user knows of and does not read.
 */
export async function lockDisbursement(
  tx: Transaction,
  user: User,
  id: number,
  { unread = false }: { unread?: boolean } = {},
): Promise<LockedDisbursement & Standing> {
  const [seen] = await query<{ case_id: number }>(
    tx,
    sql`select d.case_id from disbursement_request d join case_file c on c.id = d.case_id
         where d.id = ${id} and ${disbursementIsVisible(user)} and ${draftIsVisible(user)}`,
  );
  const locked = seen === undefined ? undefined : await lockCase(tx, seen.case_id);
  if (seen === undefined || locked === undefined) throw new NotFoundError();
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
  if (!has_content && !unread)
    throw new ForbiddenError('This is someone else’s draft, so only they can do this.', 'not_yours');
  const permissions = user.user_type === 'admin' ? await findPermissions(tx, user.id) : new Set<Permission>();
  return { ...request, case: locked, permissions };
}

/** Locks requests for what the platform does to many of them, in an order that never deadlocks. Unknown ids are left out. */
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
  const byId = new Map(cases.map((locked) => [locked.id, locked]));
  return requests.flatMap((request) => {
    const locked = byId.get(request.case_id);
    return locked === undefined ? [] : [{ ...request, case: locked }];
  });
}
