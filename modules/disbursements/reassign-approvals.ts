import { type ChangedBy, type Origin, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { mayBeSecond } from '@case-platform/modules/accounts';
import { designatedApprover, staffMayDecide } from '@case-platform/modules/cases';
import { lockCase } from '@case-platform/modules/ledger';
import { announceDisbursement } from './announce-disbursement.ts';
import type { DisbursementContext } from './create-disbursement.ts';
import { describeDisbursement } from './describe-disbursement.ts';
import { MAKERS } from './disbursement-access.ts';

/**
 * Lets somebody leave a case, in whatever way `leave` does it, and hands on what waited for them there: all of it or
 * nothing. @throws as `leave`, which gets the transaction.
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
 * Whether `approver` may still decide about a request `d` of the case `c`: their account is open, they have no part in it, and
 * they see the case; staff also while their role approves requests.
 */
const STILL_DECIDES = sql`approver.status = 'active' and ${mayBeSecond(sql`d.approver_id`, MAKERS)}
  and case approver.user_type
  when 'admin' then ${staffMayDecide(sql`d.approver_id`)}
  else exists (select from case_participant p where p.case_id = c.id and p.user_id = approver.id and p.left_at is null) end`;

interface Stranded {
  id: number;
  amount_cents: number;
  category: string;
  approver_id: number;
  /** Who is to decide instead; null: staff who may approve. */
  next_id: number | null;
}

/**
 * Asks somebody else about the requests of a case that wait for a person who may no longer decide: who is designated now
 * (APPROVER-3), else the admins with `approve_drs` on the case. In the transaction in which that person goes.
 * @returns how many.
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

/** What waits for staff who may not decide about it: their account is closed, or their role is another one. */
const WAITS_FOR_STAFF_IN_VAIN = sql`exists (
  select from user_account approver join case_file c on c.id = d.case_id
   where approver.id = d.approver_id and approver.user_type = 'admin'
     and not (approver.status = 'active' and ${staffMayDecide(sql`approver.id`)}))`;

/**
 * Hands on everything that waits for somebody, under whatever record, who may no longer decide about it: their account was
 * closed, their role is another one, or they have set the account that it is paid to. By the clock, for nobody named: what was
 * sent to staff in the moment in which their role changed. Case by case; does nothing the second time.
 */
export async function reassignApprovalsOf(
  { db }: { db: Database },
  { user_id }: { user_id?: number },
  now: Date,
): Promise<void> {
  const theirs =
    user_id === undefined ? WAITS_FOR_STAFF_IN_VAIN : sql`d.approver_id = any (person_records(${user_id}))`;
  const cases = await query<{ case_id: number }>(
    db,
    sql`select distinct d.case_id from disbursement_request d where d.status = 'submitted' and ${theirs} order by 1`,
  );
  for (const { case_id } of cases)
    await db.transaction((tx) => reassignApprovals(tx, case_id, { actor: null, origin: WORKER }, now));
}
