import type { ChangedBy } from '@case-platform/lib/audit';
import type { Executor, Transaction } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { disbursementIsVisible } from '../disbursement-access.ts';
import { type Disbursement, readDisbursementLists, type Viewer } from '../list-disbursements.ts';
import { type LockedDisbursement, lockDisbursements } from '../lock-disbursement.ts';
import { moveDisbursement } from '../move-disbursement.ts';
import { listNotPayable } from '../payable/require-payable.ts';
import { findApprover } from '../submit-disbursement.ts';
import { reviseDisbursement } from '../update-disbursement.ts';
import { announceMoves, type MovedDate } from '../whereabouts/announce-moves.ts';
import { moveDates, moveDatesOfPayees } from '../whereabouts/move-dates.ts';
import { announceStopped, type StoppedPayment } from './announce-stopped.ts';

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

/** A payment that was stopped, with its payee and the time at which the payee's current account was entered. */
interface Stopped {
  payee_id: number;
  changed_at: Date;
  payment: StoppedPayment;
}

/**
 * Stops the payments to a payee whose account was just replaced: removes the approvals given for a previous account, and notifies
 * everyone concerned with one mail, also about payments in a file that will not be sent (BANK-3, BANK-8, BANK-11).
 */
export async function stopOutdatedPayments(tx: Transaction, payeeId: number, by: ChangedBy, now: Date): Promise<void> {
  const removals = await removeApprovals(tx, sql`d.payee_id = ${payeeId}`, by, now);
  const payments = [...removals, ...(await listStoppedInFiles(tx, payeeId))];
  await moveDates(tx, idsOf(payments), { now, because: 'account_changed', isQuiet: true });
  const moves = await moveDatesOfPayees(tx, [payeeId], { now, because: 'account_changed', isQuiet: true });
  await announceAll(tx, payments, moves);
}

/**
 * Removes the approvals of these requests, which were taken out of their batch, that were given for a previous account of their
 * payees, and keeps those given for the current one (BANK-8). The arrival days of the others move (WHERE-3). Everyone concerned is
 * notified with one mail for each payee whose account changed, the first of which also lists the moved days (BANK-11).
 */
export async function removeOutdatedApprovals(
  tx: Transaction,
  { ids }: { ids: readonly number[] },
  by: ChangedBy,
  now: Date,
): Promise<void> {
  const payments = await removeApprovals(tx, sql`d.id = any(${ids}::bigint[])`, by, now);
  const stoppedIds = idsOf(payments);
  await moveDates(tx, stoppedIds, { now, because: 'account_changed', isQuiet: true });
  const others = ids.filter((id) => !stoppedIds.includes(id));
  await announceAll(tx, payments, await moveDates(tx, others, { now, because: 'taken_out', isQuiet: true }));
}

function idsOf(payments: readonly Stopped[]): number[] {
  return payments.map(({ payment }) => payment.disbursement_id);
}

async function announceAll(tx: Transaction, stopped: readonly Stopped[], moves: readonly MovedDate[]): Promise<void> {
  if (stopped.length === 0) return announceMoves(tx, moves, undefined);
  for (const [index, [payee_id, ofPayee]] of [...Map.groupBy(stopped, (one) => one.payee_id)].entries()) {
    const [{ changed_at }] = ofPayee as [Stopped, ...Stopped[]];
    const payments = ofPayee.map(({ payment }) => payment).sort((a, b) => a.disbursement_id - b.disbursement_id);
    const more = index === 0 ? moves : [];
    await announceStopped(tx, { payee_id, changed_at: changed_at.toISOString(), payments, moves: more });
  }
}

/** Makes each request a draft; if the owner of the new account chose to resubmit, it goes to its approver again. */
async function removeApprovals(tx: Transaction, which: Sql, by: ChangedBy, now: Date): Promise<Stopped[]> {
  const outdated = await query<{ id: number; resubmits: boolean; changed_at: Date }>(
    tx,
    sql`select d.id, coalesce(a.resubmits, false) as resubmits, coalesce(a.created_at, ${now}) as changed_at
          from disbursement_request d
          left join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
         where ${which} and d.status = 'approved' and d.approved_account_id is distinct from a.id`,
  );
  const changes = new Map(outdated.map((row) => [row.id, row]));
  const payments: Stopped[] = [];
  for (const request of await lockDisbursements(tx, [...changes.keys()])) {
    if (request.status !== 'approved') continue;
    const { resubmits = false, changed_at = now } = changes.get(request.id) ?? {};
    await reviseDisbursement(tx, request, 'remove_approval', { by, now });
    const submission = resubmits ? await submitAgain(tx, request, by, now) : null;
    const { id: disbursement_id, amount_cents, category, submitted_by, created_by, approver_id: approved_by } = request;
    const maker_id = submitted_by ?? created_by;
    const next = submission === null ? 'draft' : 'submitted';
    const payment = { disbursement_id, amount_cents, category, next, maker_id, approved_by } as const;
    payments.push({
      payee_id: request.payee_id,
      changed_at,
      payment: { ...payment, approver_id: submission?.approver_id ?? null },
    });
  }
  return payments;
}

/**
 * Submits a request again in its submitter's name, because nothing in it changed except the payee's account.
 * @returns its approver, or null if it cannot be submitted now and stays a draft.
 */
async function submitAgain(
  tx: Transaction,
  before: LockedDisbursement,
  by: ChangedBy,
  now: Date,
): Promise<{ approver_id: number | null } | null> {
  const draft: LockedDisbursement = { ...before, status: 'draft' };
  if ((await listNotPayable(tx, [draft.id], 'submit', now)).length > 0) return null;
  const approver_id = await findApprover(tx, draft);
  const note = { approver_id, reason: 'bank_account_changed' };
  const changes = { submitted_by: before.submitted_by, submitted_at: now, approver_id, draft_again_because: null };
  await moveDisbursement(tx, draft, 'submit', { changes, by, now, note, isQuiet: true });
  return { approver_id };
}

/** Lists the payments in a file that pays the account before the current one, and that the bank does not have. */
async function listStoppedInFiles(tx: Transaction, payeeId: number): Promise<Stopped[]> {
  const rows = await query<Omit<StoppedPayment, 'next' | 'approver_id'> & { changed_at: Date; resubmits: boolean }>(
    tx,
    sql`select d.id as disbursement_id, d.amount_cents, d.category, coalesce(d.submitted_by, d.created_by) as maker_id,
               d.approver_id as approved_by, a.created_at as changed_at, a.resubmits
          from payee_bank_account a
          join banking_batch_entry e on e.released_at is null and e.returned_at is null and e.bank_account_id = (
            select max(before.id) from payee_bank_account before where before.user_id = a.user_id and before.id < a.id)
          join banking_batch b on b.id = e.batch_id and b.status = 'generated'
          join disbursement_request d on d.id = e.disbursement_id
         where a.user_id = ${payeeId} and a.replaced_at is null`,
  );
  return rows.map(({ changed_at, resubmits, ...payment }) => {
    const next = resubmits ? 'file_then_submitted' : 'file_then_draft';
    return { payee_id: payeeId, changed_at, payment: { ...payment, next, approver_id: null } };
  });
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
             join payee_bank_account a on a.id = e.bank_account_id and a.replaced_at is null
            where e.disbursement_id = d.id and e.released_at is null and b.status in ('draft', 'approved', 'generated')))`;
  return (await readDisbursementLists(db, payee, stopped, now)).get('stopped') ?? [];
}
