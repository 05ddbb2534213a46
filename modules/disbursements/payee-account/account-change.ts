import type { ChangedBy } from '@case-platform/lib/audit';
import type { Executor, Transaction } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { announceDisbursement } from '../announce-disbursement.ts';
import { disbursementIsVisible } from '../disbursement-access.ts';
import { type Disbursement, readDisbursementLists, type Viewer } from '../list-disbursements.ts';
import { type LockedDisbursement, lockDisbursements } from '../lock-disbursement.ts';
import { moveDisbursement } from '../move-disbursement.ts';
import { listNotPayable } from '../payable/require-payable.ts';
import { findApprover } from '../submit-disbursement.ts';
import { reviseDisbursement } from '../update-disbursement.ts';

/**
 * Lets the approvals given while a payee had no account count for the first account that its owner entered (BANK-8). The caller
 * has locked the payee.
 */
export async function approveForFirstAccount(tx: Transaction, payeeId: number, accountId: number): Promise<void> {
  await query(
    tx,
    sql`update disbursement_request set approved_account_id = ${accountId}
         where payee_id = ${payeeId} and status = 'approved' and approved_account_id is null`,
  );
}

/** A condition on `disbursement_request d`: it was approved for another account than the payee's current one `a`. */
const IS_OUTDATED = sql`d.status = 'approved' and d.approved_account_id is distinct from a.id`;

/**
 * Removes the approvals of requests that were given for a previous account of the payee, and keeps those given for the current
 * one (BANK-3, BANK-8). Each becomes a draft; if the owner of the new account asked for it, it goes to its approver again.
 * @param which the requests of a payee, or some requests.
 * @returns the ids of the requests whose approval was removed.
 */
export async function removeOutdatedApprovals(
  tx: Transaction,
  which: { payeeId: number } | { ids: readonly number[] },
  by: ChangedBy,
  now: Date,
): Promise<number[]> {
  const requests = 'ids' in which ? sql`d.id = any(${which.ids}::bigint[])` : sql`d.payee_id = ${which.payeeId}`;
  const rows = await query<{ id: number; resubmits: boolean }>(tx, selectOutdated(requests));
  const resubmitting = new Set(rows.filter(({ resubmits }) => resubmits).map(({ id }) => id));
  const locked = await lockDisbursements(
    tx,
    rows.map(({ id }) => id),
  );
  const approved = locked.filter(({ status }) => status === 'approved');
  for (const request of approved) {
    await reviseDisbursement(tx, request, { by, note: { reason: 'bank_account_changed' } });
    const isSubmitted = resubmitting.has(request.id) && (await submitAgain(tx, request, by, now));
    await announceDisbursement(tx, request, isSubmitted ? 'submitted' : 'sent_back', now);
  }
  return approved.map(({ id }) => id);
}

function selectOutdated(requests: Sql): Sql {
  return sql`select d.id, coalesce(a.resubmits, false) as resubmits from disbursement_request d
    left join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
   where ${requests} and ${IS_OUTDATED} order by d.id`;
}

/**
 * Submits a request again in its submitter's name, because nothing in it changed except the payee's account.
 * @returns false, and leaves a draft, if it cannot be submitted now.
 */
async function submitAgain(tx: Transaction, before: LockedDisbursement, by: ChangedBy, now: Date): Promise<boolean> {
  const draft: LockedDisbursement = { ...before, status: 'draft' };
  if ((await listNotPayable(tx, [draft.id], 'submit', now)).length > 0) return false;
  const approver_id = await findApprover(tx, draft);
  const changes = { submitted_by: before.submitted_by, submitted_at: now, approver_id, draft_again_because: null };
  await moveDisbursement(tx, draft, 'submit', { changes, by, note: { approver_id, reason: 'bank_account_changed' } });
  return true;
}

/**
 * Lists the payee's requests that a change of the account would stop (BANK-8): approved ones, and those in a batch whose file the
 * bank does not have. Ordered by id, without those of cases that the payee left.
 */
export async function listStoppedByAccountChange(db: Executor, payee: Viewer, now: Date): Promise<Disbursement[]> {
  const stopped = sql`select 'stopped' as list, d.id, d.id as place
    from disbursement_request d join case_file c on c.id = d.case_id
   where d.payee_id = ${payee.id} and ${disbursementIsVisible(payee)}
     and (d.status = 'approved' or d.status = 'batched' and exists (
           select from banking_batch_entry e join banking_batch b on b.id = e.batch_id
            where e.disbursement_id = d.id and e.released_at is null and b.status in ('draft', 'approved', 'generated')))`;
  return (await readDisbursementLists(db, payee, stopped, now)).get('stopped') ?? [];
}
