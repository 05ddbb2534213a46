import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import type { SentMessage } from '@case-platform/modules/messaging';
import { chainIsVisible } from '@case-platform/modules/messaging';

/** Someone who was away while more than this was written, by anyone, reads the lists again instead. */
const WRITTEN_MAX = 1000;

/** The place from which nothing is missed: every transaction before it is over, and what it wrote can be read. */
export async function findPlace(db: Executor): Promise<string> {
  const [row] = await query<{ place: string }>(db, sql`select current_place() as place`);
  if (row === undefined) throw new Error('the database has no place');
  return row.place;
}

/** Whether a text may be a place: the mark of a database, and a number of a transaction below 2^63. */
export function isPlace(text: string): boolean {
  return /^[0-9a-f]{8}-\d{1,18}$/.test(text);
}

/**
 * The messages written since a place in the chains that this user sees, oldest first; the last ones before the place may
 * be among them once more. Null when more was written than is worth telling one by one, and when the place is one of another
 * database, from which this one was restored, or of a history that was lost.
 */
export async function listMissed(
  db: Executor,
  user: Pick<User, 'id' | 'user_type'>,
  since: string,
): Promise<SentMessage[] | null> {
  const [mark = '', transaction = ''] = since.split('-');
  const [found] = await query<{ is_known: boolean; written: number; missed: SentMessage[] }>(
    db,
    sql`with written as materialized (
       select m.id, m.chain_id from message m where m.written_in >= ${transaction}::xid8 order by m.written_in limit ${WRITTEN_MAX + 1})
     select database_mark() = ${mark}
              and ${transaction}::xid8 <= pg_snapshot_xmax(pg_current_snapshot()) as is_known,
            (select count(*) from written) as written,
            (select coalesce(json_agg(json_build_object('chain_id', w.chain_id, 'message_id', w.id) order by w.id), '[]')
               from written w join message_chain c on c.id = w.chain_id where ${chainIsVisible(user)}) as missed`,
  );
  return found === undefined || !found.is_known || found.written > WRITTEN_MAX ? null : found.missed;
}
