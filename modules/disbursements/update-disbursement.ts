import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { parseAmount, requireCategory, requireOpenCase } from '@case-platform/modules/cases';
import { postLedger } from '@case-platform/modules/ledger';
import type { UserType } from '@case-platform/words/user-types';
import { requireMatchingLine } from './claim-scheduled-payment.ts';
import { type DisbursementContext, findPayee } from './create-disbursement.ts';
import { parseCategory, parseDescription } from './disbursement-fields.ts';
import { nextStatus } from './disbursement-states.ts';
import { type LockedDisbursement, lockDisbursement } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requireMaker } from './require-maker-or-checker.ts';

export interface DisbursementChange {
  amount_cents?: number | undefined;
  category?: string | undefined;
  description?: string | undefined;
  payee?: { user_type: UserType; user_id: number } | undefined;
}

/** Clears the submission and decision of a request that becomes a draft again. */
const UNSENT = {
  submitted_by: null,
  submitted_at: null,
  approver_id: null,
  decided_at: null,
  decision_reason: null,
};

/**
 * Changes a request. After submission only the payee and amount can change, which makes it a draft again, so that what is paid is
 * what was approved (REQUEST-8). A category that is no longer on the case's list can stay.
 * @throws {NotFoundError} @throws {ForbiddenError} @throws {InvalidInputError} also `unknown_category`.
 * @throws {ConflictError} `wrong_state` if the request can no longer change.
 */
export async function updateDisbursement(
  { db }: Pick<DisbursementContext, 'db'>,
  id: number,
  change: DisbursementChange,
  by: ChangedByUser,
): Promise<void> {
  const checked = {
    ...(change.amount_cents === undefined ? {} : { amount_cents: parseAmount('amount_cents', change.amount_cents) }),
    ...(change.category === undefined ? {} : { category: parseCategory(change.category) }),
    ...(change.description === undefined ? {} : { description: parseDescription(change.description) }),
  };
  await db.transaction(async (tx) => {
    const locked = await lockDisbursement(tx, by.actor, id);
    requireMaker(locked, by.actor);
    nextStatus('revise', locked.status);
    requireOpenCase(locked.case);
    const payee = change.payee === undefined ? {} : { payee_id: await findPayee(tx, locked.case_id, by.actor, change.payee) };
    const wanted = differences(locked, { ...checked, ...payee });
    if (locked.status !== 'draft' && !isOtherPayment(wanted)) {
      throw new ConflictError('This request was already sent. Only its payee and amount can change now.', 'wrong_state');
    }
    const { case_id: caseId, scheduled_payment_id: scheduledPaymentId } = locked;
    if (wanted.category !== undefined) await requireCategory(tx, { caseId, category: wanted.category, scheduledPaymentId });
    await requireMatchingLine(tx, { ...locked, ...wanted });
    if (Object.keys(wanted).length > 0) await reviseDisbursement(tx, locked, { by, wanted });
  });
}

type Wanted = Partial<Pick<LockedDisbursement, 'amount_cents' | 'category' | 'description' | 'payee_id'>>;

function differences(locked: LockedDisbursement, wanted: Wanted): Wanted {
  const entries = Object.entries(wanted) as [keyof Wanted, unknown][];
  return Object.fromEntries(entries.filter(([name, value]) => locked[name] !== value)) as Wanted;
}

const isOtherPayment = ({ amount_cents, payee_id }: Wanted) => amount_cents !== undefined || payee_id !== undefined;

/** A person who changes the amount or the payee gets a part in the request, and may not decide about it (PERSON-5). */
async function noteReviser(tx: Transaction, id: number, { actor }: ChangedBy): Promise<void> {
  if (actor === null) return;
  await query(
    tx,
    sql`update disbursement_request set revised_by = array_append(revised_by, ${actor.id})
         where id = ${id} and ${actor.id} <> all (revised_by)`,
  );
}

/** Records why a request is a draft again. A change of a draft leaves the earlier reason. */
function draftAgain({ status }: LockedDisbursement, { reason }: Record<string, unknown>) {
  if (status === 'draft') return {};
  return { draft_again_because: reason === 'bank_account_changed' ? reason : 'changed' };
}

/** Makes a locked request a draft again, and releases its reserved money. */
export async function reviseDisbursement(
  tx: Transaction,
  locked: LockedDisbursement,
  { by, wanted = {}, note = {} }: { by: ChangedBy; wanted?: Wanted; note?: Record<string, unknown> },
): Promise<void> {
  // An approval is for one payee's account, so it says nothing about another payee's (BANK-8).
  const forgotten = wanted.payee_id === undefined ? {} : { approved_account_id: null };
  const changes = { ...wanted, ...UNSENT, ...forgotten, ...draftAgain(locked, note) };
  await moveDisbursement(tx, locked, 'revise', { changes, by, note: { ...wanted, ...note } });
  if (isOtherPayment(wanted)) await noteReviser(tx, locked.id, by);
  if (locked.status !== 'approved') return;
  const { id: disbursement_id, case_id, amount_cents, category: memo } = locked;
  const created_by = by.actor?.id ?? null;
  await postLedger(tx, { kind: 'release', case_id, amount_cents, disbursement_id, memo, created_by });
}
