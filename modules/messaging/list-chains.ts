import { defineIdCursor } from '@case-platform/lib/cursor';
import type { Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { isOneOf, limitTo, query, rowsFor, type Sql, sql } from '@case-platform/lib/sql';
import { fullName, type Reader } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { chainIsVisible, messageIsUnread, visibleChains } from './chain-access.ts';
import { NEEDS_OWNER } from './chain-owner.ts';
import { searchChains } from './search/search-chains.ts';

export interface ChainParticipant {
  user_id: number;
  user_type: UserType;
  name: string;
}

/** A conversation as one user sees it (CHAIN-1, CHAIN-2). */
export interface Chain {
  id: number;
  subject: string;
  case_id: number | null;
  status: 'open' | 'closed';
  assigned_admin_id: number | null;
  chain_has_unread_msg_admin: boolean;
  unread_count: number;
  /** Everyone in the chain who is not staff, then the admin who owns it. */
  participants: ChainParticipant[];
  /** `preview` is empty for a message that was retracted. */
  last_message: { id: number; preview: string; from_type: UserType; from_id: number; created_at: Date };
  created_at: Date;
}

export interface ChainFilter {
  case_id?: number | undefined;
  unread?: boolean | undefined;
  /** Words to find in subject and messages, and operators (see `parseSearch`). */
  q?: string | undefined;
  status?: Chain['status'] | readonly Chain['status'][] | undefined;
  /** For staff: the chains that they own, or the queue of chains without an owner. */
  assigned?: 'me' | 'nobody' | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

type ChainRow = Omit<Chain, 'last_message'> & {
  last_message_id: number;
  last_preview: string;
  last_from_type: UserType;
  last_from_id: number;
  last_created_at: Date;
};

/** A position in a list of conversations (by their last message), or in the messages of one. */
export const CHAIN_CURSOR = defineIdCursor('before');
/** Characters of the last message that a list shows. */
const PREVIEW_LENGTH = 140;

function chainColumns(user: Reader): Sql {
  return sql`c.id, c.subject, c.case_id, c.status, c.assigned_admin_id, c.created_at, c.last_message_id,
    exists (select from message m where m.chain_id = c.id and m.to_admin and m.admin_viewed is null)
      as chain_has_unread_msg_admin,
    (${
      user.user_type === 'admin'
        ? sql`select count(*) from message m where m.chain_id = c.id and ${messageIsUnread(user)}`
        : sql`select count(*) from message_recipient r
             where r.chain_id = c.id and r.user_id = ${user.id} and r.viewed is null`
    }) as unread_count,
    (select coalesce(json_agg(json_build_object('user_id', u.id, 'user_type', u.user_type, 'name',
              ${fullName(sql`u`)})
              order by u.user_type = 'admin', u.id), '[]'::json)
       from (select g.user_id from message_chain_group g where g.chain_id = c.id and g.left_at is null
             union all select c.assigned_admin_id) p
       join user_account u on u.id = p.user_id) as participants,
    left(l.message, ${PREVIEW_LENGTH}) as last_preview, l.from_type as last_from_type, l.from_id as last_from_id,
    l.created_at as last_created_at`;
}

/** Lists the chains that a user sees, newest activity first, one keyset page. */
export async function listChains(db: Executor, user: Reader, filter: ChainFilter = {}): Promise<Page<Chain>> {
  const limit = filter.limit ?? 25;
  const newest = rowsFor(limit);
  const conditions = conditionsOf(user, filter);
  const words = filter.q?.trim() ?? '';
  const rowsOf = (ids: Sql) => sql`select ${chainColumns(user)}
       from (${ids}) page
       join message_chain c on c.id = page.id
       join message l on l.id = c.last_message_id
      order by c.last_message_id desc ${limitTo(newest)}`;
  const rows =
    words === ''
      ? await query<ChainRow>(db, rowsOf(visibleChains(user, { conditions, newest })))
      : await searchChains<ChainRow>(db, user, words, { conditions, newest, rowsOf });
  return toPage(rows, limit, (row) => row.last_message_id, toChain);
}

function conditionsOf(user: Reader, { cursor, case_id, status, assigned, unread }: ChainFilter): Sql[] {
  const conditions: Sql[] = [];
  if (cursor !== undefined) conditions.push(sql`c.last_message_id < ${CHAIN_CURSOR.read(cursor)}`);
  if (case_id !== undefined) conditions.push(sql`c.case_id = ${case_id}`);
  if (status !== undefined) conditions.push(isOneOf(sql`c.status`, status));
  if (assigned === 'me') conditions.push(sql`c.assigned_admin_id = ${user.id}`);
  if (assigned === 'nobody') conditions.push(NEEDS_OWNER);
  if (unread !== undefined) {
    const some = sql`exists (select from message m where m.chain_id = c.id and ${messageIsUnread(user)})`;
    conditions.push(unread ? some : sql`not ${some}`);
  }
  return conditions;
}

/** Finds a chain; null if this user does not see it. */
export async function findChain(db: Executor, user: Reader, chainId: number): Promise<Chain | null> {
  const [row] = await query<ChainRow>(
    db,
    sql`select ${chainColumns(user)} from message_chain c join message l on l.id = c.last_message_id
      where c.id = ${chainId} and ${chainIsVisible(user)}`,
  );
  return row === undefined ? null : toChain(row);
}

/** @throws {NotFoundError} for a chain that this user does not see. */
export async function getChain(db: Executor, user: Reader, chainId: number): Promise<Chain> {
  const chain = await findChain(db, user, chainId);
  if (chain === null) throw new NotFoundError();
  return chain;
}

/** The fields are written out: the rest of a destructured row takes ten times as long, and a page has up to a hundred. */
function toChain(row: ChainRow): Chain {
  return {
    id: row.id,
    subject: row.subject,
    case_id: row.case_id,
    status: row.status,
    assigned_admin_id: row.assigned_admin_id,
    chain_has_unread_msg_admin: row.chain_has_unread_msg_admin,
    unread_count: row.unread_count,
    participants: row.participants,
    last_message: {
      id: row.last_message_id,
      preview: row.last_preview,
      from_type: row.last_from_type,
      from_id: row.last_from_id,
      created_at: row.last_created_at,
    },
    created_at: row.created_at,
  };
}

/** Removes the extra row that shows whether there is a next page, and makes that page's cursor. */
export function toPage<Row, Item>(
  rows: Row[],
  limit: number,
  keyOf: (row: Row) => number,
  toItem: (row: Row) => Item,
): Page<Item> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next_cursor = rows.length > limit && last !== undefined ? CHAIN_CURSOR.write(keyOf(last)) : null;
  return { data: page.map(toItem), next_cursor };
}
