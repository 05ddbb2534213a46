import { type ChangedBy, type Origin, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { canBeSecondPerson } from '@case-platform/modules/accounts';
import { designatedApprover, staffMayDecide } from '@case-platform/modules/cases';
import { lockCase } from '@case-platform/modules/ledger';
import { announceDisbursement } from '../announce-disbursement.ts';
import type { DisbursementContext } from '../create-disbursement.ts';
import { describeDisbursement } from '../describe-disbursement.ts';
import { MAKERS } from '../disbursement-access.ts';

/**
 * Removes a person from a case with `leave`, and reassigns requests that waited for their approval, in one transaction
 * (APPROVER-3). @throws as `leave`.
 */
export async function leaveCase(
  { db, now }: DisbursementContext,
  caseId: number,
  by: ChangedBy,
  leave: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await leave(tx);
    await reassignApprovals(tx, caseId, by, now());
  });
}

/**
 * A condition: `approver` may still decide about a request `d` of the case `c`. Their account is active, they have no part in the
 * request, and they see the case; staff also need `approve_drs`.
 */
const STILL_DECIDES = sql`approver.status = 'active' and ${canBeSecondPerson(sql`d.approver_id`, MAKERS)}
  and case approver.user_type
  when 'admin' then ${staffMayDecide(sql`d.approver_id`)}
  else exists (select from case_participant p where p.case_id = c.id and p.user_id = approver.id and p.left_at is null) end`;

interface Stranded {
  id: number;
  amount_cents: number;
  category: string;
  approver_id: number;
  /** The next approver; null for staff with `approve_drs`. */
  next_id: number | null;
}

/**
 * Reassigns a case's requests whose approver may no longer decide to the next one, or to staff with `approve_drs`, who are
 * notified (APPROVER-3).
 * @returns their number.
 */
async function reassignApprovals(tx: Transaction, caseId: number, by: ChangedBy, now: Date): Promise<number> {
  if ((await lockCase(tx, caseId)) === undefined) return 0;
  const stranded = await query<Stranded>(
    tx,
    sql`select d.id, d.amount_cents, d.category, d.approver_id, ${designatedApprover(MAKERS)} as next_id
       from disbursement_request d
       join case_file c on c.id = d.case_id
       join user_account approver on approver.id = d.approver_id
      where d.case_id = ${caseId} and d.status = 'submitted' and (${STILL_DECIDES}) is not true
      order by d.id for no key update of d`,
  );
  for (const request of stranded) {
    const { id, approver_id, next_id } = request;
    await query(tx, sql`update disbursement_request set approver_id = ${next_id}, updated_at = now() where id = ${id}`);
    await recordAudit(tx, {
      ...by,
      action: 'disbursement.hand_on',
      subject_id: id,
      subject_label: describeDisbursement(request),
      case_id: caseId,
      before: { approver_id },
      after: { approver_id: next_id },
    });
    await announceDisbursement(tx, request, 'submitted', now);
  }
  return stranded.length;
}

const WORKER: Origin = { layer: 'worker' };

/** A condition: the request waits for staff whose account is closed, or who no longer have `approve_drs`. */
const WAITS_FOR_STAFF_IN_VAIN = sql`exists (
  select from user_account approver join case_file c on c.id = d.case_id
   where approver.id = d.approver_id and approver.user_type = 'admin'
     and not (approver.status = 'active' and ${staffMayDecide(sql`approver.id`)}))`;

/**
 * Reassigns requests that wait for any record of a person who may no longer decide about them. Without `user_id`, as a scheduled
 * job, it reassigns requests that were sent to staff just as their role changed. Works case by case, and a repeat changes
 * nothing.
 */
export async function reassignApprovalsOf({ db }: { db: Database }, { user_id }: { user_id?: number }, now: Date): Promise<void> {
  const theirs = user_id === undefined ? WAITS_FOR_STAFF_IN_VAIN : sql`d.approver_id = any (person_records(${user_id}))`;
  const cases = await query<{ case_id: number }>(
    db,
    sql`select distinct d.case_id from disbursement_request d where d.status = 'submitted' and ${theirs} order by 1`,
  );
  for (const { case_id } of cases)
    await db.transaction((tx) => reassignApprovals(tx, case_id, { actor: null, origin: WORKER }, now));
}
