import { createHash } from 'node:crypto';
import { recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { ConflictError } from '@case-platform/lib/errors';
import { writeOnce } from '@case-platform/lib/idempotency';
import { query, sql } from '@case-platform/lib/sql';
import { type ChangedByUser, fullName } from '@case-platform/modules/accounts';
import { type CasePerson, listCasePeople } from '@case-platform/modules/cases';
import { findChain, type MessagingContext, parseMessageText, replyToChain, startChain } from '@case-platform/modules/messaging';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { describeDisbursement } from '../describe-disbursement.ts';
import { type LockedDisbursement, lockDisbursement } from '../lock-disbursement.ts';
import { requireChecker } from '../require-maker-or-checker.ts';
import { raiseStop } from './payment-stop.ts';

export interface Question {
  text: string;
  /** Also stops all payments to the payee until the escrow specialist clears them. */
  alarm?: boolean | undefined;
  idempotencyKey?: string | undefined;
}

/** The conversation with the question; null for an alarm by staff, whose text is shown with the request. */
export interface AskedQuestion {
  chain_id: number | null;
  stopped: boolean;
}

interface QuestionContext extends MessagingContext {
  db: Database;
  now: () => Date;
}

/**
 * Asks the payee about a request in its conversation, or in a new one (BANK-10). With `alarm`, the text goes only to the escrow
 * specialist, because the payee may not learn who raised it, and all payments to the payee stop. Message and stop are one
 * transaction. Several at once wait for each other, so that they share the conversation and the stop.
 * @throws {NotFoundError} @throws {ForbiddenError} for anyone who may not decide about the request.
 * @throws {InvalidInputError} for an empty or too long text. @throws {ConflictError} `no_recipient` if the payee and the maker
 * have left the case and the question comes from staff.
 */
export async function askQuestion(
  context: QuestionContext,
  id: number,
  { text: input, alarm = false, idempotencyKey: key }: Question,
  by: ChangedByUser,
): Promise<AskedQuestion> {
  const text = parseMessageText(input, 'text');
  const hashRequest = () =>
    createHash('sha256')
      .update(JSON.stringify(['question', id, text, alarm]))
      .digest();
  return writeOnce(context.db, { userId: by.actor.id, key, hashRequest }, async (tx) => {
    const request = await lockDisbursement(tx, by.actor, id);
    await requireChecker(tx, request, by.actor);
    const within = { ...context, db: tx };
    const chain_id = alarm ? await writeToSpecialist(within, request, text, by) : await writeToPayee(within, request, text, by);
    if (alarm) await raiseStop(tx, request, { text, chain_id, by, now: context.now() });
    return { chain_id, stopped: alarm };
  });
}

type Within = Omit<QuestionContext, 'db'> & { db: Transaction };

/** Continues the request's conversation if the payee is in it and the actor sees it; otherwise starts one with the payee. */
async function writeToPayee(
  within: Within,
  request: LockedDisbursement,
  text: string,
  { actor, ...origin }: ChangedByUser,
): Promise<number> {
  const { case_id } = request;
  const recipients = await listAskable(within.db, request);
  const { linked, own } = await findChainIds(within.db, request, actor);
  for (const chainId of [linked, own]) {
    const chain = chainId === null ? null : await findChain(within.db, actor, chainId);
    const isMember = ({ user_id }: CasePerson) => chain?.participants.some((member) => member.user_id === user_id) === true;
    if (chain === null || !recipients.every(isMember)) continue;
    await replyToChain(within, actor, chain.id, { message: text, files: [] });
    return chain.id;
  }
  if (actor.user_type === 'admin' && recipients.length === 0)
    throw new ConflictError('The payee is no longer on this case, so there is no one to ask.', 'no_recipient');
  const subject = subjectOf(request);
  const { chain_id } = await startChain(within, actor, { message: text, files: [], subject, case_id, recipients });
  if (linked === null) await linkNewChain(within.db, request, chain_id, { actor, ...origin });
  return chain_id;
}

/** The request's conversation, and the newest one that the actor started about it; null for none. */
async function findChainIds(
  tx: Transaction,
  request: LockedDisbursement,
  { id }: { id: number },
): Promise<{ linked: number | null; own: number | null }> {
  const [row] = await query<{ linked: number | null; own: number | null }>(
    tx,
    sql`select d.chain_id as linked, (
            select max(c.id) from message_chain c
             where c.case_id = d.case_id and c.created_by = ${id} and c.subject = ${subjectOf(request)}) as own
          from disbursement_request d where d.id = ${request.id}`,
  );
  return row ?? { linked: null, own: null };
}

/** The payee; if they have left the case, the maker, as long as they are on it. */
async function listAskable(tx: Transaction, { case_id, payee_id, submitted_by, created_by }: LockedDisbursement) {
  const people = await listCasePeople(tx, case_id);
  const find = (id: number) => people.find(({ user_id }) => user_id === id);
  const person = find(payee_id) ?? find(submitted_by ?? created_by);
  return person === undefined ? [] : [person];
}

/** The actor holds the lock of the request, so it has no conversation yet (REQUEST-13). */
async function linkNewChain(tx: Transaction, request: LockedDisbursement, chainId: number, by: ChangedByUser): Promise<void> {
  await query(
    tx,
    sql`update disbursement_request set chain_id = ${chainId}, updated_at = now() where id = ${request.id} and chain_id is null`,
  );
  await recordAudit(tx, {
    ...by,
    action: 'disbursement.link_chain',
    subject_id: request.id,
    subject_label: describeDisbursement(request),
    case_id: request.case_id,
    after: { chain_id: chainId },
  });
}

/**
 * Writes to the escrow specialist only, in the conversation of the actor's stop that is not cleared, or in a new one, which is
 * never the request's conversation. Staff write nothing: the specialist reads their text with the request.
 */
async function writeToSpecialist(
  within: Within,
  request: LockedDisbursement,
  text: string,
  { actor }: ChangedByUser,
): Promise<number | null> {
  if (actor.user_type === 'admin') return null;
  const { case_id, payee_id } = request;
  const [names] = await query<{ payee_name: string; chain_id: number | null }>(
    within.db,
    sql`select ${fullName(sql`u`)} as payee_name,
               (select s.chain_id from payment_stop s where s.payee_id = u.id and s.case_id = ${case_id}
                   and s.raised_by = ${actor.id} and s.cleared_at is null) as chain_id
          from user_account u where u.id = ${payee_id}`,
  );
  const chain = names?.chain_id == null ? null : await findChain(within.db, actor, names.chain_id);
  if (chain !== null) {
    await replyToChain(within, actor, chain.id, { message: text, files: [] });
    return chain.id;
  }
  const subject = `Payments to ${names?.payee_name} stopped`;
  return (await startChain(within, actor, { message: text, files: [], subject, case_id })).chain_id;
}

function subjectOf({ id, category, amount_cents }: LockedDisbursement): string {
  return `Request ${id}: ${sentence(category)}, ${moneyWords(amount_cents)}`;
}
