import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { SEARCH_VERSION, searchVector } from '@case-platform/lib/database/search-vector';
import { DomainError, NotFoundError } from '@case-platform/lib/errors';
import { answerIdempotencyKey, withIdempotencyKey, writeOnce } from '@case-platform/lib/idempotency';
import { enqueue } from '@case-platform/lib/jobs';
import { NO_SQL, query, sql } from '@case-platform/lib/sql';
import { parseText } from '@case-platform/lib/text/typed-text';
import type { User } from '@case-platform/modules/accounts';
import type { Storage } from '@case-platform/modules/storage';
import { MESSAGE_MAX } from '@case-platform/words/limits';
import { chainIsVisible } from './chain-access.ts';
import { announce } from './chain-events.ts';
import { findEarlierMessage, hashMessage, type SentMessage } from './earlier-message.ts';
import { getMessage, type Message } from './list-messages.ts';
import { requireGroupPermission } from './plan-chain.ts';
import { type ChainMember, type MessageRoute, type RoutedChain, routeMessage } from './route-message.ts';
import { type IncomingFile, removeAttachments, type StoredFile, storeAttachments } from './store-attachments.ts';

export interface MessagingContext {
  db: Database;
  storage: Storage;
}

export interface OutgoingMessage {
  message: string;
  files: readonly IncomingFile[];
  /** The client's name for this request. The same request again gets the same answer, and the message is stored once. */
  idempotencyKey?: string | undefined;
  /** Stops the work on its files when the sender disconnects. */
  signal?: AbortSignal | undefined;
}

/** The conversation that a message goes into, as a reply or as its first message. `Plan` is what must be known to write to it. */
export interface MessageTarget<Plan extends RoutedChain> {
  chainId: number;
  isFirst: boolean;
  /** The parts of the request, other than text and files, that must be equal for a repeated key. */
  request: object;
  /** Throws when the sender may not write there. Called before files are uploaded; `plan` checks again. */
  check: () => Promise<unknown>;
  /** Locks and reads what the conversation needs, in the transaction of the message. */
  plan: (tx: Transaction) => Promise<Plan>;
  /** Writes the rows of the conversation. Its statements are sent at once, before any other of the message. */
  writeChain: (tx: Transaction, plan: Plan, messageId: number) => Promise<unknown>;
}

/**
 * Replies to a chain; a closed one opens again.
 * @throws {NotFoundError} for a chain that the sender does not see.
 * @throws {ForbiddenError} for staff without `send_group_messages`, if more than one person would receive it (CHAIN-11).
 */
export async function replyToChain(
  context: MessagingContext,
  sender: User,
  chainId: number,
  input: OutgoingMessage,
): Promise<SentMessage & { message: Message }> {
  return sendMessage(context, sender, input, {
    chainId,
    isFirst: false,
    request: { chainId },
    check: () => getReplyChain(context.db, sender, chainId),
    plan: (tx) => getReplyChain(tx, sender, chainId, sql`for update of c`),
    writeChain: (tx, _plan, messageId) =>
      Promise.all([
        query(
          tx,
          sql`update message_chain set status = 'open', last_message_id = greatest(last_message_id, ${messageId}),
                     last_message_at = now()
               where id = ${chainId}`,
        ),
        query(
          tx,
          sql`update message_chain_group set last_message_id = greatest(last_message_id, ${messageId})
               where chain_id = ${chainId}`,
        ),
      ]),
  });
}

/**
 * Sends a message, once per idempotency key, and returns it as its sender sees it. Its rows and the jobs of its notifications are
 * one transaction, so that a message that was acknowledged is announced. Without files the claim of the key is part of it; files
 * are stored between the two.
 * @throws {InvalidInputError} for text or files outside the limits, and for a key that was used with another message.
 * @throws {ConflictError} while the first request with the same key is still running. @throws as `target.check`.
 */
export async function sendMessage<Plan extends RoutedChain>(
  context: MessagingContext,
  sender: User,
  input: OutgoingMessage,
  target: MessageTarget<Plan>,
): Promise<SentMessage & { message: Message }> {
  const { db, storage } = context;
  let message: Message | undefined;
  const write = async (tx: Transaction, plan: Plan, row: NewMessage) => {
    message = await writeMessage({ db: tx, storage }, sender, { target, plan }, row);
  };
  const ids = await sendOnce({ db, storage }, sender, input, target, write);
  return { ...ids, message: message ?? (await getMessage(context, sender, ids.message_id)) };
}

/** @throws as `sendMessage`. @param write writes the message, unless an earlier request has. */
async function sendOnce<Plan extends RoutedChain>(
  { db, storage }: MessagingContext,
  sender: User,
  input: OutgoingMessage,
  target: MessageTarget<Plan>,
  write: (tx: Transaction, plan: Plan, row: NewMessage) => Promise<void>,
): Promise<SentMessage> {
  const text = parseMessageText(input.message);
  const hashRequest = () => hashMessage({ ...target.request, text }, input.files);
  const request = { userId: sender.id, key: input.idempotencyKey, hashRequest };
  if (input.files.length === 0) {
    return writeOnce(db, request, async (tx, claim) => {
      const earlier = claim && (await findEarlierMessage(tx, claim, target, text));
      if (earlier !== undefined) return earlier;
      const [message_id, plan] = await Promise.all([nextId(tx, 'message'), target.plan(tx)]);
      const ids = { chain_id: target.chainId, message_id };
      await write(tx, plan, { ...ids, text, clientKey: claim?.key ?? null, files: [] });
      return ids;
    });
  }
  return withIdempotencyKey(db, request, async (claim) => {
    const earlier = claim && (await findEarlierMessage(db, claim, target, text));
    if (claim !== undefined && earlier !== undefined) await answerIdempotencyKey(db, claim, earlier);
    if (earlier !== undefined) return earlier;
    await target.check();
    const ids = { chain_id: target.chainId, message_id: await nextId(db, 'message') };
    const files = await storeAttachments(storage, `messages/${ids.chain_id}/${ids.message_id}`, input.files, {
      owner: String(sender.id),
      signal: input.signal,
    });
    try {
      await db.transaction(async (tx) => {
        if (claim !== undefined) await answerIdempotencyKey(tx, claim, ids);
        await write(tx, await target.plan(tx), { ...ids, text, clientKey: claim?.key ?? null, files });
      });
    } catch (error) {
      // A domain error came before the commit. After any other error the message may exist; files without a message are swept.
      if (error instanceof DomainError) await removeAttachments(storage, files);
      throw error;
    }
    return ids;
  });
}

/** @throws as `replyToChain`. */
async function getReplyChain(db: Executor, sender: User, chainId: number, lock = NO_SQL): Promise<RoutedChain> {
  const [[chain], members] = await Promise.all([
    query<{ is_group: boolean }>(
      db,
      sql`select c.is_group from message_chain c where c.id = ${chainId} and ${chainIsVisible(sender)} ${lock}`,
    ),
    query<ChainMember>(
      db,
      sql`select g.user_id, u.user_type from message_chain_group g join user_account u on u.id = g.user_id
           where g.chain_id = ${chainId} and g.left_at is null order by g.user_id`,
    ),
  ]);
  if (chain === undefined) throw new NotFoundError();
  await requireGroupPermission(db, sender, members.length);
  return { ...chain, members };
}

interface NewMessage extends SentMessage {
  text: string;
  clientKey: string | null;
  files: readonly StoredFile[];
}

/** Writes the rows of a message, and the jobs and event that announce it, and reads it, in one round trip. */
async function writeMessage<Plan extends RoutedChain>(
  context: { db: Transaction; storage: Storage },
  sender: User,
  { target, plan }: { target: MessageTarget<Plan>; plan: Plan },
  message: NewMessage,
): Promise<Message> {
  const { db: tx } = context;
  const { chain_id, message_id } = message;
  const route = routeMessage(sender, plan);
  const writing = [
    target.writeChain(tx, plan, message_id),
    insertMessage(tx, sender, message, route),
    insertRecipients(tx, message, route),
    insertFiles(tx, message),
    markEarlierViewed(tx, sender, message),
    enqueue(tx, 'announce_message', { message_id }),
    announce(tx, { kind: 'message', chain_id, message_id }),
  ];
  // This statement is sent last, so it reads what the others have written.
  const [written] = await Promise.all([getMessage(context, sender, message_id), ...writing]);
  return written;
}

async function insertMessage(tx: Transaction, sender: User, message: NewMessage, route: MessageRoute): Promise<void> {
  const { chain_id, message_id, text, clientKey, files } = message;
  const words = searchVector(text, ...files.map(({ filename }) => filename));
  await query(
    tx,
    sql`insert into message (id, chain_id, from_id, from_type, to_id, to_type, to_admin, message, client_key,
                             search, search_version)
        values (${message_id}, ${chain_id}, ${sender.id}, ${sender.user_type}, ${route.to_id}, ${route.to_type},
                ${route.to_admin}, ${text}, ${clientKey}, ${words}::tsvector, ${SEARCH_VERSION})`,
  );
}

async function insertRecipients(tx: Transaction, { chain_id, message_id }: SentMessage, route: MessageRoute): Promise<void> {
  await query(
    tx,
    sql`insert into message_recipient (message_id, user_id, chain_id)
        select ${message_id}, recipient, ${chain_id}
          from unnest(${route.recipients.map((recipient) => recipient.user_id)}::bigint[]) as recipient`,
  );
}

async function insertFiles(tx: Transaction, { message_id, files }: NewMessage): Promise<void> {
  if (files.length === 0) return;
  await query(
    tx,
    sql`insert into message_file (message_id, filename, content_type, size, storage_key)
        select ${message_id}, filename, content_type, size, storage_key
          from jsonb_to_recordset(${JSON.stringify(files)}::jsonb)
            as file (filename text, content_type text, size bigint, storage_key text)`,
  );
}

/** Marks earlier messages of the chain as viewed by the sender of a new one (UNREAD-5). */
async function markEarlierViewed(tx: Transaction, sender: User, { chain_id, message_id }: SentMessage): Promise<void> {
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

/** Reserves an id, because the storage keys of a message's files contain it. */
export async function nextId(db: Executor, table: 'message' | 'message_chain'): Promise<number> {
  const [row] = await query<{ id: number }>(db, sql`select nextval(pg_get_serial_sequence(${table}, 'id')) as id`);
  if (row === undefined) throw new Error('no id');
  return row.id;
}

/** @throws {InvalidInputError} for an empty text, or more than 10,000 characters. @param field names it in the error. */
export function parseMessageText(message: string, field = 'message'): string {
  return parseText(message, { field, label: 'A message', max: MESSAGE_MAX, empty: 'Write a message.' });
}
