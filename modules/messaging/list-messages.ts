import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, rowsFor, type Sql, sql } from '@case-platform/lib/sql';
import { fullName, type Reader } from '@case-platform/modules/accounts';
import { type Storage, signDownloadUrl } from '@case-platform/modules/storage';
import type { UserType } from '@case-platform/words/user-types';
import { CHAIN_CURSOR, type Page, toPage } from './list-chains.ts';

export interface MessageFile {
  id: number;
  filename: string;
  content_type: string;
  size: number;
  /** Signed; it expires after an hour (FILE-4). */
  url: string;
  url_expires_at: string;
}

/** A message as one user sees it. `viewed` is this user's own mark, and null only if the message is unread for them. */
export interface Message {
  id: number;
  chain_id: number;
  from_id: number;
  from_type: UserType;
  from_name: string;
  to_id: number | null;
  to_type: UserType | null;
  to_admin: boolean;
  message: string;
  viewed: Date | null;
  created_at: Date;
  /** The `Idempotency-Key` it was sent with. Only its sender sees it; null for other people. */
  client_key: string | null;
  /** The time at which its sender retracted it. `message` and `files` are empty then. */
  retracted_at: Date | null;
  files: MessageFile[];
}

interface StoredFile {
  id: number;
  filename: string;
  content_type: string;
  size: number;
  storage_key: string;
}
type MessageRow = Omit<Message, 'files'> & { files: StoredFile[] };

/** The columns that all readers see alike, of `message m` and its author `u`. */
const COMMON = sql`m.id, m.chain_id, m.from_id, m.from_type, ${fullName(sql`u`)} as from_name, m.to_id, m.to_type, m.to_admin,
  m.message, m.created_at, m.retracted_at,
  coalesce((select json_agg(json_build_object('id', f.id, 'filename', f.filename, 'content_type', f.content_type,
                              'size', f.size, 'storage_key', f.storage_key) order by f.id)
              from message_file f where f.message_id = m.id), '[]'::json) as files`;

/** A reader by value, or as the columns of a row. */
type MessageReader = { id: number | Sql; user_type: UserType | Sql };

/** Only the sender sees the key. */
const keyFor = ({ id }: MessageReader): Sql => sql`case when m.from_id = ${id} then m.client_key end`;

/**
 * The mark on message `m`, with `r` as the reader's row of `message_recipient`. People who are not recipients, like the sender,
 * have nothing unread: their mark is the time of sending.
 */
const markFor = ({ user_type }: MessageReader): Sql => sql`
  case when ${user_type} = 'admin' then case when m.to_admin then m.admin_viewed else m.created_at end
       when r.message_id is not null then r.viewed
       else m.created_at end`;

const messagesFor = (user: Reader): Sql => sql`
  select ${COMMON}, ${keyFor(user)} as client_key, ${markFor(user)} as viewed
  from message m
  join user_account u on u.id = m.from_id
  left join message_recipient r on r.message_id = m.id and r.user_id = ${user.id}`;

/**
 * Lists a chain's messages, newest first, one keyset page. Reading changes nothing.
 * The caller must have found the chain with the user's own access.
 */
export async function listMessages(
  context: { db: Executor; storage: Storage },
  user: Reader,
  chainId: number,
  { limit = 25, cursor }: { limit?: number | undefined; cursor?: string | undefined } = {},
): Promise<Page<Message>> {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : CHAIN_CURSOR.read(cursor);
  const rows = await query<MessageRow>(
    context.db,
    sql`${messagesFor(user)}
         where m.chain_id = ${chainId} and m.id < ${before} order by m.id desc ${limitTo(rowsFor(limit))}`,
  );
  return toPage(
    rows,
    limit,
    (row) => row.id,
    (row) => signFiles(context.storage, row),
  );
}

/** Gets a message. The caller must have checked that the user may read it. */
export async function getMessage(context: { db: Executor; storage: Storage }, user: Reader, messageId: number): Promise<Message> {
  const [row] = await query<MessageRow>(context.db, sql`${messagesFor(user)} where m.id = ${messageId}`);
  if (row === undefined) throw new Error(`message ${messageId} is gone`);
  return signFiles(context.storage, row);
}

/** Messages as several people see them: `of(userId, messageId)`. */
export interface SharedMessages {
  /** People who see the same get the same object. Undefined for a message that does not exist. */
  of(userId: number, messageId: number): Message | undefined;
}

interface SharedRow extends Omit<MessageRow, 'viewed' | 'client_key'> {
  personal: { user_id: number; viewed: string | null; client_key: string | null }[];
}

/**
 * Reads messages for many readers, each message once. The caller must have checked that each reader may read their messages.
 */
export async function readSharedMessages(
  context: { db: Executor; storage: Storage },
  readings: readonly { message_id: number; user: Reader }[],
): Promise<SharedMessages> {
  const seen = new Map<string, Message>();
  const of = (userId: number, messageId: number) => seen.get(`${userId} ${messageId}`);
  if (readings.length === 0) return { of };
  const reader = { id: sql`reader.user_id`, user_type: sql`reader.user_type` };
  const columns = [readings.map((one) => one.message_id), readings.map(({ user }) => user.id)];
  const rows = await query<SharedRow>(
    context.db,
    sql`with reader as materialized (
          select * from unnest(${columns[0] ?? []}::bigint[], ${columns[1] ?? []}::bigint[],
                               ${readings.map(({ user }) => user.user_type)}::text[]) as r (message_id, user_id, user_type))
        select ${COMMON},
               (select json_agg(json_build_object('user_id', reader.user_id, 'viewed', ${markFor(reader)}, 'client_key', ${keyFor(reader)}))
                  from reader left join message_recipient r on r.message_id = m.id and r.user_id = reader.user_id
                 where reader.message_id = m.id) as personal
          from message m join user_account u on u.id = m.from_id
         where m.id = any(${[...new Set(columns[0])]}::bigint[])`,
  );
  for (const { personal, ...row } of rows) {
    const common = signFiles(context.storage, { ...row, viewed: null, client_key: null });
    const variants = new Map<string, Message>();
    for (const { user_id, viewed, client_key } of personal) {
      const variant = JSON.stringify([viewed, client_key]);
      const message = variants.get(variant) ?? { ...common, viewed: viewed === null ? null : new Date(viewed), client_key };
      variants.set(variant, message);
      seen.set(`${user_id} ${row.id}`, message);
    }
  }
  return { of };
}

function signFiles(storage: Storage, row: MessageRow): Message {
  const files = row.files.map(({ storage_key, ...file }) => {
    const { filename, content_type: contentType } = file;
    return { ...file, ...signDownloadUrl(storage, { key: storage_key, filename, contentType }, new Date()) };
  });
  return { ...row, files };
}
