import { createHash } from 'node:crypto';
import { recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { SEARCH_VERSION } from '@case-platform/lib/database/search-vector';
import { ForbiddenError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { writeOnce } from '@case-platform/lib/idempotency';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser, User } from '@case-platform/modules/accounts';
import { findPermissions } from '@case-platform/modules/accounts';
import { findCase, parseAmount, parseCategory, requireCategory, requireOpenCase } from '@case-platform/modules/cases';
import { lockCase } from '@case-platform/modules/ledger';
import type { UserType } from '@case-platform/words/user-types';
import { requireFreeLine, requireMatchingLine } from './claim-scheduled-payment.ts';
import { describeDisbursement } from './describe-disbursement.ts';
import { parseDescription } from './disbursement-fields.ts';
import { wordsOfRequest } from './search/searched-requests.ts';

export interface DisbursementContext {
  db: Database;
  now: () => Date;
}

export interface NewDisbursement {
  amount_cents: number;
  category: string;
  description: string;
  /** Defaults to the creator; an admin has to name one. */
  payee?: { user_type: UserType; user_id: number } | undefined;
  scheduled_payment_id?: number | undefined;
  /** A repeated key with the same request returns the first result (IDEMPOTENCY-1). */
  idempotencyKey?: string | undefined;
}

/**
 * Creates a draft. Everyone on the case may, and admins on it with `create_drs` (REQUEST-4).
 * @returns its id.
 * @throws {NotFoundError} for a case that the creator does not see, or a payee who is not on it.
 * @throws {ForbiddenError} @throws {InvalidInputError} also `unknown_category`, and for a scheduled payment of another case,
 * payee, or category.
 * @throws {ConflictError} for a closed case, or a scheduled payment that is paid, cancelled, or already requested.
 */
export async function createDisbursement(
  { db }: Pick<DisbursementContext, 'db'>,
  caseId: number,
  { idempotencyKey: key, ...input }: NewDisbursement,
  by: ChangedByUser,
): Promise<{ id: number }> {
  const { actor } = by;
  const fields = {
    amount_cents: parseAmount('amount_cents', input.amount_cents),
    category: parseCategory(input.category),
    description: parseDescription(input.description),
  };
  if ((await findCase(db, actor, caseId)) === null) throw new NotFoundError();
  if (actor.user_type === 'admin' && !(await findPermissions(db, actor.id)).has('create_drs')) {
    throw new ForbiddenError('Your role can’t write requests.');
  }
  const hashRequest = () =>
    createHash('sha256')
      .update(JSON.stringify(['disbursement', caseId, input]))
      .digest();
  return writeOnce(db, { userId: actor.id, key, hashRequest }, async (tx) => {
    const lockedCase = await lockCase(tx, caseId);
    if (lockedCase === undefined) throw new NotFoundError();
    requireOpenCase(lockedCase);
    const { category } = fields;
    await requireCategory(tx, { caseId, category, scheduledPaymentId: input.scheduled_payment_id });
    const payeeId = await findPayee(tx, caseId, actor, input.payee);
    const result = await insert(tx, caseId, { ...fields, payeeId, scheduled: input.scheduled_payment_id }, actor);
    await recordAudit(tx, {
      ...by,
      action: 'disbursement.create',
      subject_id: result.id,
      subject_label: describeDisbursement(fields),
      case_id: caseId,
      after: { status: 'draft', ...fields, payee_id: payeeId },
    });
    return result;
  });
}

/**
 * Returns the payee's id: a person on the case, or the creator themselves (REQUEST-2).
 * @throws {NotFoundError} for anyone else. @throws {InvalidInputError} if an admin names no payee.
 */
export async function findPayee(
  tx: Transaction,
  caseId: number,
  actor: User,
  payee: { user_type: UserType; user_id: number } | undefined,
): Promise<number> {
  if (payee === undefined) {
    if (actor.user_type === 'admin') throw invalid('payee', 'Choose who gets paid.');
    return actor.id;
  }
  if (payee.user_id === actor.id && payee.user_type === actor.user_type && actor.user_type !== 'admin') return actor.id;
  const [person] = await query<{ id: number }>(
    tx,
    sql`select u.id from case_participant p join user_account u on u.id = p.user_id
         where p.case_id = ${caseId} and p.left_at is null and u.id = ${payee.user_id}
           and u.user_type = ${payee.user_type} and u.status = 'active'`,
  );
  if (person === undefined) throw new NotFoundError('The payee isn’t on this case.', 'payee_not_found');
  return person.id;
}

interface Draft {
  amount_cents: number;
  category: string;
  description: string;
  payeeId: number;
  scheduled: number | undefined;
}

async function insert(tx: Transaction, caseId: number, draft: Draft, actor: User): Promise<{ id: number }> {
  const { amount_cents, category, description, payeeId, scheduled = null } = draft;
  const line = { scheduled_payment_id: scheduled };
  await requireMatchingLine(tx, { ...line, case_id: caseId, payee_id: payeeId, category });
  await requireFreeLine(tx, { ...line, id: null });
  const [row] = await query<{ id: number }>(
    tx,
    sql`insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by,
                                          scheduled_payment_id, search, search_version)
        values (${caseId}, ${amount_cents}, ${category}, ${description}, ${payeeId}, ${actor.id}, ${scheduled},
                ${wordsOfRequest(draft)}::tsvector, ${SEARCH_VERSION})
        returning id`,
  );
  return { id: row?.id ?? 0 };
}
