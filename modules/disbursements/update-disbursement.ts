import type { ChangedBy } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { SEARCH_VERSION } from '@case-platform/lib/database/search-vector';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { parseAmount, parseCategory, requireCategory } from '@case-platform/modules/cases';
import type { UserType } from '@case-platform/words/user-types';
import { requireMatchingLine } from './claim-scheduled-payment.ts';
import { type DisbursementContext, findPayee } from './create-disbursement.ts';
import { parseDescription } from './disbursement-fields.ts';
import { type LockedDisbursement, lockDisbursement } from './lock-disbursement.ts';
import { moveDisbursement } from './move-disbursement.ts';
import { requireGuards } from './require-guards.ts';
import { wordsOfRequest } from './search/searched-requests.ts';

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
  { db, now }: DisbursementContext,
  id: number,
  change: DisbursementChange,
  by: ChangedByUser,
): Promise<void> {
  const fields = {
    ...(change.amount_cents === undefined ? {} : { amount_cents: parseAmount('amount_cents', change.amount_cents) }),
    ...(change.category === undefined ? {} : { category: parseCategory(change.category) }),
    ...(change.description === undefined ? {} : { description: parseDescription(change.description) }),
  };
  await db.transaction(async (tx) => {
    const request = await lockDisbursement(tx, by.actor, id);
    await requireGuards(tx, 'revise', { request, by, now: now() });
    const payee = change.payee === undefined ? {} : { payee_id: await findPayee(tx, request.case_id, by.actor, change.payee) };
    const edits = differences(request, { ...fields, ...payee });
    if (request.status !== 'draft' && !isOtherPayment(edits)) {
      throw new ConflictError('This request was already sent. Only its payee and amount can change now.', 'wrong_state');
    }
    const { case_id: caseId, scheduled_payment_id: scheduledPaymentId } = request;
    if (edits.category !== undefined) await requireCategory(tx, { caseId, category: edits.category, scheduledPaymentId });
    await requireMatchingLine(tx, { ...request, ...edits });
    if (Object.keys(edits).length > 0) await reviseDisbursement(tx, request, 'revise', { by, now: now(), edits });
  });
}

type Edits = Partial<Pick<LockedDisbursement, 'amount_cents' | 'category' | 'description' | 'payee_id'>>;

function differences(request: LockedDisbursement, edits: Edits): Edits {
  const entries = Object.entries(edits) as [keyof Edits, unknown][];
  return Object.fromEntries(entries.filter(([name, value]) => request[name] !== value)) as Edits;
}

/** The columns of the words for searching, if they change. */
function wordsAfter(request: LockedDisbursement, edits: Edits) {
  const isSame = edits.amount_cents === undefined && edits.category === undefined && edits.description === undefined;
  return isSame ? {} : { search: wordsOfRequest({ ...request, ...edits }), search_version: SEARCH_VERSION };
}

const isOtherPayment = ({ amount_cents, payee_id }: Edits) => amount_cents !== undefined || payee_id !== undefined;

/** A person who changes the amount or the payee gets a part in the request, and may not decide about it (PERSON-5). */
async function noteReviser(tx: Transaction, id: number, { actor }: ChangedBy): Promise<void> {
  if (actor === null) return;
  await query(
    tx,
    sql`update disbursement_request set revised_by = array_append(revised_by, ${actor.id})
         where id = ${id} and ${actor.id} <> all (revised_by)`,
  );
}

/**
 * Makes a locked request a draft again, and releases its reserved money.
 * @param command `remove_approval` if the approval was for another bank account. The reason of an earlier step stays while a draft
 *   changes.
 */
export async function reviseDisbursement(
  tx: Transaction,
  request: LockedDisbursement,
  command: 'revise' | 'remove_approval',
  { by, now, edits = {} }: { by: ChangedBy; now: Date; edits?: Edits },
): Promise<void> {
  // An approval is for one payee's account, so it says nothing about another payee's (BANK-8).
  const account = edits.payee_id === undefined ? {} : { approved_account_id: null };
  const draft_again_because = command === 'revise' ? 'changed' : 'bank_account_changed';
  const again = request.status === 'draft' ? {} : { draft_again_because };
  await moveDisbursement(tx, request, command, {
    changes: { ...edits, ...wordsAfter(request, edits), ...UNSENT, ...account, ...again },
    by,
    now,
    note: edits,
  });
  if (isOtherPayment(edits)) await noteReviser(tx, request.id, by);
}
