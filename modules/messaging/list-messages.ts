import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { fullName, type User } from '@case-platform/modules/accounts';
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

/** People who are not recipients, like the sender, have nothing unread: their mark is the time of sending. */
const messagesFor = ({ id, user_type }: User): Sql => sql`
  select m.id, m.chain_id, m.from_id, m.from_type, m.to_id, m.to_type, m.to_admin, m.message, m.created_at, m.retracted_at,
  case when m.from_id = ${id} then m.client_key end as client_key,
  ${fullName(sql`u`)} as from_name,
  case when ${user_type} = 'admin' then case when m.to_admin then m.admin_viewed else m.created_at end
       when r.message_id is not null then r.viewed
       else m.created_at end as viewed,
  coalesce((select json_agg(json_build_object('id', f.id, 'filename', f.filename, 'content_type', f.content_type,
                              'size', f.size, 'storage_key', f.storage_key) order by f.id)
              from message_file f where f.message_id = m.id), '[]'::json) as files
  from message m
  join user_account u on u.id = m.from_id
  left join message_recipient r on r.message_id = m.id and r.user_id = ${id}`;

/**
 * Lists a chain's messages, newest first, one keyset page. Reading changes nothing.
 * The caller must have found the chain with the user's own access.
 */
export async function listMessages(
  context: { db: Executor; storage: Storage },
  user: User,
  chainId: number,
  { limit = 25, cursor }: { limit?: number | undefined; cursor?: string | undefined } = {},
): Promise<Page<Message>> {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : CHAIN_CURSOR.read(cursor);
  const rows = await query<MessageRow>(
    context.db,
    sql`${messagesFor(user)}
         where m.chain_id = ${chainId} and m.id < ${before} order by m.id desc limit ${limit + 1}`,
  );
  return toPage(
    rows,
    limit,
    (row) => row.id,
    (row) => signFiles(context.storage, row),
  );
}

/** Gets a message. The caller must have checked that the user may read it. */
export async function getMessage(context: { db: Executor; storage: Storage }, user: User, messageId: number): Promise<Message> {
  const [row] = await query<MessageRow>(context.db, sql`${messagesFor(user)} where m.id = ${messageId}`);
  if (row === undefined) throw new Error(`message ${messageId} is gone`);
  return signFiles(context.storage, row);
}

function signFiles(storage: Storage, row: MessageRow): Message {
  const files = row.files.map(({ storage_key, ...file }) => {
    const { filename, content_type: contentType } = file;
    return { ...file, ...signDownloadUrl(storage, { key: storage_key, filename, contentType }, new Date()) };
  });
  return { ...row, files };
}
