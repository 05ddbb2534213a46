import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { listOf, query, type SqlParameter, sql, trustedSql } from '@case-platform/lib/sql';
import { findPermissions, type Permission, requireSecondPerson, type User } from '@case-platform/modules/accounts';
import { caseIsVisible, designatedApprover } from '@case-platform/modules/cases';
import { type LockedCase, lockCase } from '@case-platform/modules/ledger';
import { moneyWords } from '@case-platform/words/money';
import { contentIsVisible, disbursementIsVisible, draftIsVisible, MAKERS } from './disbursement-access.ts';
import { type DisbursementCommand, type DisbursementStatus, nextStatus } from './disbursement-states.ts';

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

/** @throws {ForbiddenError} for anyone but its maker and admins with `edit_drs` on the case. */
export function requireMaker(locked: LockedDisbursement & Standing, { id }: User): void {
  const isMaker = locked.sees_case && (locked.created_by === id || locked.submitted_by === id);
  if (!isMaker && !(locked.sees_case && locked.permissions.has('edit_drs'))) {
    throw new ForbiddenError('Only the person who wrote this request can do this.');
  }
}

/**
 * Maker is never checker (REQUEST-5).
 * @throws {ForbiddenError} `same_person` for whoever has a part in it; `address_moved` for whose address somebody else has changed; for anyone but the designated approver and, of the
 * staff, admins with `approve_drs` on the case.
 */
export async function requireChecker(
  tx: Transaction,
  locked: LockedDisbursement & Standing,
  actor: User,
): Promise<void> {
  await requireSecondPerson(tx, actor, locked.makers, 'You’re part of this request, so someone else has to decide it.');
  // Who is not staff sees a request by its case alone.
  const isDesignated = actor.user_type !== 'admin' && locked.approver_id === actor.id;
  if (!isDesignated && !(locked.sees_case && locked.permissions.has('approve_drs'))) {
    throw new ForbiddenError('Someone else decides this request.');
  }
}

type Changes = Partial<
  Record<
    | 'amount_cents'
    | 'category'
    | 'description'
    | 'payee_id'
    | 'submitted_by'
    | 'submitted_at'
    | 'approver_id'
    | 'decided_at'
    | 'decision_reason'
    | 'bank_date'
    | 'paid_at'
    | 'returned_at'
    | 'return_code',
    SqlParameter
  >
>;

/**
 * Takes a held request to the state that the command leads to, and writes it into the audit log.
 * @param changes columns that change with it.
 * @throws {ConflictError} `wrong_state`.
 */
export async function moveDisbursement(
  tx: Transaction,
  locked: LockedDisbursement,
  command: DisbursementCommand,
  { changes = {}, by, note = {} }: { changes?: Changes; by: ChangedBy; note?: Record<string, unknown> },
): Promise<DisbursementStatus> {
  const status = nextStatus(command, locked.status);
  const assignments = [
    sql`status = ${status}`,
    sql`updated_at = now()`,
    sql`status_since = case when status = ${status} then status_since else now() end`,
    ...Object.entries(changes).map(([name, value]) => sql`${trustedSql(name)} = ${value}`),
  ];
  await query(tx, sql`update disbursement_request set ${listOf(assignments)} where id = ${locked.id}`);
  await recordAudit(tx, {
    ...by,
    action: `disbursement.${command}`,
    subject_id: locked.id,
    subject_label: describeDisbursement(locked),
    case_id: locked.case_id,
    before: { status: locked.status },
    after: { status, ...note },
  });
  return status;
}

/** What a request is called where there is room for one line. */
export function describeDisbursement({ category, amount_cents }: { category: string; amount_cents: number }): string {
  return `${category}, ${moneyWords(amount_cents)}`;
}
