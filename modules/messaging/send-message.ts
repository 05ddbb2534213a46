import { createHash } from 'node:crypto';
import { type Database, type Executor, isUniqueViolation, type Transaction } from '@case-platform/lib/database';
import { DomainError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { manyLines, oneLine } from '@case-platform/lib/human-text';
import { answerIdempotencyKey, type IdempotencyClaim, keyTakenOver, once } from '@case-platform/lib/idempotency';
import { enqueue } from '@case-platform/lib/jobs';
import { NO_SQL, query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { deleteObjects, type Storage } from '@case-platform/modules/storage';
import { numberWords } from '@case-platform/words/counts';
import { MESSAGE_MAX, SUBJECT_MAX } from '@case-platform/words/limits';
import type { UserType } from '@case-platform/words/user-types';
import { chainIsVisible } from './chain-access.ts';
import { announce } from './chain-events.ts';
import { findSent, type SentMessage } from './find-sent.ts';
import { planChain } from './plan-chain.ts';
import { type ChainMember, routeMessage } from './route-message.ts';
import { type IncomingFile, type StoredFile, storeAttachments } from './store-attachments.ts';

export interface MessagingContext {
  db: Database;
  storage: Storage;
}

export interface OutgoingMessage {
  message: string;
  files: readonly IncomingFile[];
  /** The client's name for this request: sent again, it is answered again and happens once. */
  idempotencyKey?: string | undefined;
  /** Ends the work on its files when the sender has left. */
  signal?: AbortSignal | undefined;
}

export interface NewChain extends OutgoingMessage {
  subject?: string | undefined;
  case_id?: number | undefined;
  recipients?: { user_type: UserType; user_id: number }[] | undefined;
}

/**
 * Starts a chain with its first message. Who it goes to, and who owns it, is decided by `planChain`.
 * @throws {InvalidInputError} for text, subject or files outside the limits.
 * @throws {NotFoundError} for a case or recipient that the sender may not know of.
 */
export async function startChain(context: MessagingContext, sender: User, input: NewChain): Promise<SentMessage> {
  const text = checkText(input.message);
  const subject = checkSubject(input.subject);
  const { case_id, recipients } = input;
  const hash = () => hashRequest({ start: true, text, subject, case_id, recipients }, input.files);
  return once(context.db, { userId: sender.id, key: input.idempotencyKey, hashRequest: hash }, async (claim) => {
    const earlier = await findSent(context.db, claim, { text });
    if (earlier !== null) return earlier;
    // Asked before anything is uploaded, and again below, where it counts.
    const asked = await planChain(context.db, sender, { case_id, recipients });
    const chainId = await nextId(context.db, 'message_chain');
    return write(
      context,
      sender,
      { chainId, text, files: input.files, signal: input.signal },
      claim,
      async (tx, messageId) => {
        // Waits for a removal from the case that is under way; a later removal takes the person out of this chain as well.
        await query(
          tx,
          sql`select id from case_file where id = any(${asked.shared_case_ids}::bigint[]) order by id for key share`,
        );
        const plan = await planChain(tx, sender, { case_id, recipients });
        const { assigned_admin_id, is_group } = plan;
        await query(
          tx,
          sql`insert into message_chain (id, subject, case_id, assigned_admin_id, is_group, created_by, last_message_id)
            values (${chainId}, ${subject}, ${plan.case_id}, ${assigned_admin_id}, ${is_group}, ${sender.id},
                    ${messageId})`,
        );
        await query(
          tx,
          sql`insert into message_chain_group (chain_id, user_id, last_message_id)
            select ${chainId}, member, ${messageId}
              from unnest(${plan.members.map((member) => member.user_id)}::bigint[]) as member`,
        );
        return { is_group, members: plan.members };
      },
    );
  });
}

/**
 * Replies to a chain; a closed one opens again.
 * @throws {NotFoundError} for a chain that the sender does not see.
 */
export async function replyToChain(
  context: MessagingContext,
  sender: User,
  chainId: number,
  input: OutgoingMessage,
): Promise<SentMessage> {
  const text = checkText(input.message);
  // Asked before anything is uploaded, and again below, where it counts.
  await findForReply(context.db, sender, chainId);
  const hash = () => hashRequest({ chainId, text }, input.files);
  return once(context.db, { userId: sender.id, key: input.idempotencyKey, hashRequest: hash }, async (claim) => {
    const earlier = await findSent(context.db, claim, { text, chainId });
    if (earlier !== null) return earlier;
    return write(
      context,
      sender,
      { chainId, text, files: input.files, signal: input.signal },
      claim,
      async (tx, messageId) => {
        const chain = await findForReply(tx, sender, chainId, sql`for update of c`);
        await query(
          tx,
          sql`update message_chain set status = 'open', last_message_id = greatest(last_message_id, ${messageId}),
                   last_message_at = now()
             where id = ${chainId}`,
        );
        await query(
          tx,
          sql`update message_chain_group set last_message_id = greatest(last_message_id, ${messageId})
             where chain_id = ${chainId}`,
        );
        return { is_group: chain.is_group, members: await listMembers(tx, chainId) };
      },
    );
  });
}

async function findForReply(
  db: Executor,
  sender: User,
  chainId: number,
  lock = NO_SQL,
): Promise<{ is_group: boolean }> {
  const [chain] = await query<{ is_group: boolean }>(
    db,
    sql`select c.is_group from message_chain c where c.id = ${chainId} and ${chainIsVisible(sender)} ${lock}`,
  );
  if (chain === undefined) throw new NotFoundError();
  return chain;
}

function listMembers(db: Executor, chainId: number): Promise<ChainMember[]> {
  return query<ChainMember>(
    db,
    sql`select g.user_id, u.user_type from message_chain_group g join user_account u on u.id = g.user_id
         where g.chain_id = ${chainId} and g.left_at is null order by g.user_id`,
  );
}

async function hashRequest(request: object, files: readonly IncomingFile[]): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify(request));
  for (const { filename, content } of files) {
    hash.update(JSON.stringify([filename, content.size]));
    for await (const chunk of content.open()) hash.update(chunk);
  }
  return hash.digest();
}

interface ToWrite {
  chainId: number;
  text: string;
  files: readonly IncomingFile[];
  signal: AbortSignal | undefined;
}

/**
 * Uploads the files, then writes message, marks, files, the key's answer and the jobs for its notifications in one
 * transaction: a message that was acknowledged is announced. When it is refused, what was uploaded is removed.
 */
async function write(
  { db, storage }: MessagingContext,
  sender: User,
  { chainId, text, files, signal }: ToWrite,
  claim: IdempotencyClaim | undefined,
  placeInChain: (tx: Transaction, messageId: number) => Promise<{ is_group: boolean; members: ChainMember[] }>,
): Promise<SentMessage> {
  const messageId = await nextId(db, 'message');
  const turn = { owner: String(sender.id), signal };
  const stored = await storeAttachments(storage, `messages/${chainId}/${messageId}`, files, turn);
  const sent = { chain_id: chainId, message_id: messageId };
  try {
    await db.transaction(async (tx) => {
      const { is_group, members } = await placeInChain(tx, messageId);
      const route = routeMessage(sender, { is_group }, members);
      await insertMessage(tx, sender, { chainId, messageId, text, route, client_key: claim?.key ?? null });
      await insertFiles(tx, messageId, stored);
      await markOthersViewed(tx, sender, sent);
      await enqueue(tx, 'email_message', { message_id: messageId });
      await enqueue(tx, 'push_message', { message_id: messageId });
      await announce(tx, { kind: 'message', ...sent });
      if (claim !== undefined) await answerIdempotencyKey(tx, claim, sent);
    });
  } catch (error) {
    // The same message was stored by a request that has taken over this one's claim.
    // A domain error came before the commit; after any other the message may be there. What has none is swept.
    const refusal = isUniqueViolation(error, 'message_client_key_idx') ? keyTakenOver() : error;
    if (refusal instanceof DomainError) {
      await deleteObjects(
        storage,
        stored.map((file) => file.storage_key),
      ).catch(() => {});
    }
    throw refusal;
  }
  return sent;
}

async function insertMessage(
  tx: Transaction,
  sender: User,
  message: {
    chainId: number;
    messageId: number;
    text: string;
    route: ReturnType<typeof routeMessage>;
    client_key: string | null;
  },
): Promise<void> {
  const { chainId, messageId, text, route, client_key } = message;
  await query(
    tx,
    sql`insert into message (id, chain_id, from_id, from_type, to_id, to_type, to_admin, message, client_key)
        values (${messageId}, ${chainId}, ${sender.id}, ${sender.user_type}, ${route.to_id}, ${route.to_type},
                ${route.to_admin}, ${text}, ${client_key})`,
  );
  await query(
    tx,
    sql`insert into message_recipient (message_id, user_id, chain_id)
        select ${messageId}, recipient, ${chainId}
          from unnest(${route.recipients.map((recipient) => recipient.user_id)}::bigint[]) as recipient`,
  );
}

async function insertFiles(tx: Transaction, messageId: number, files: StoredFile[]): Promise<void> {
  if (files.length === 0) return;
  await query(
    tx,
    sql`insert into message_file (message_id, filename, content_type, size, storage_key)
        select ${messageId}, filename, content_type, size, storage_key
          from jsonb_to_recordset(${JSON.stringify(files)}::jsonb)
            as file (filename text, content_type text, size bigint, storage_key text)`,
  );
}

/** Sending into a chain marks what came before as viewed for the sender (decisions, section 6). */
async function markOthersViewed(tx: Transaction, sender: User, { chain_id, message_id }: SentMessage) {
  await query(
    tx,
    sender.user_type === 'admin'
      ? sql`update message set admin_viewed = now()
             where chain_id = ${chain_id} and to_admin and admin_viewed is null and id < ${message_id}
               and from_id <> ${sender.id}`
      : sql`update message_recipient set viewed = now()
             where chain_id = ${chain_id} and message_id < ${message_id} and user_id = ${sender.id} and viewed is null`,
  );
}

async function nextId(db: Database, table: 'message' | 'message_chain'): Promise<number> {
  const [row] = await query<{ id: number }>(db, sql`select nextval(pg_get_serial_sequence(${table}, 'id')) as id`);
  if (row === undefined) throw new Error('no id');
  return row.id;
}

function checkText(message: string): string {
  const text = manyLines(message);
  if (text === '') throw invalid('message', 'Write a message.');
  if ([...text].length > MESSAGE_MAX)
    throw invalid('message', `A message can have up to ${numberWords(MESSAGE_MAX)} characters.`);
  return text;
}

function checkSubject(subject = ''): string {
  const text = oneLine(subject);
  if ([...text].length > SUBJECT_MAX) throw invalid('subject', `A subject can have up to ${SUBJECT_MAX} characters.`);
  return text;
}
