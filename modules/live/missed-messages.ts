import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import type { SentMessage } from '@case-platform/modules/messaging';
import { chainIsVisible } from '@case-platform/modules/messaging';

/** If more messages than this were written meanwhile, by anyone, the reader reloads everything. */
const WRITTEN_MAX = 1000;

/** The current place: all transactions before it have ended, and their writes are visible. */
export async function findPlace(db: Executor): Promise<string> {
  const [row] = await query<{ place: string }>(db, sql`select current_place() as place`);
  if (row === undefined) throw new Error('the database returned no place');
  return row.place;
}

/** True if a text has the form of a place: the database's mark and a transaction number below 2^63. */
export function isPlace(text: string): boolean {
  return /^[0-9a-f]{8}-\d{1,18}$/.test(text);
}

/**
 * The messages written since a place in conversations that this user sees, oldest first. The last ones before the place may be
 * repeated. Returns null if there are too many to send one by one, and if the place belongs to another database from which this
 * one was restored, or to a history that was lost (LIVE-6).
 */
export async function listMissed(
  db: Executor,
  user: Pick<User, 'id' | 'user_type'>,
  since: string,
): Promise<SentMessage[] | null> {
  const [mark = '', transaction = ''] = since.split('-');
  const [result] = await query<{ is_known: boolean; written: number; missed: SentMessage[] }>(
    db,
    sql`with written as materialized (
       select m.id, m.chain_id from message m where m.written_in >= ${transaction}::xid8 order by m.written_in limit ${WRITTEN_MAX + 1})
     select database_mark() = ${mark}
              and ${transaction}::xid8 <= pg_snapshot_xmax(pg_current_snapshot()) as is_known,
            (select count(*) from written) as written,
            (select coalesce(json_agg(json_build_object('chain_id', w.chain_id, 'message_id', w.id) order by w.id), '[]')
               from written w join message_chain c on c.id = w.chain_id where ${chainIsVisible(user)}) as missed`,
  );
  return result === undefined || !result.is_known || result.written > WRITTEN_MAX ? null : result.missed;
}
