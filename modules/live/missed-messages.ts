import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import type { SentMessage } from '@case-platform/modules/messaging';
import { findChainAudiences } from '@case-platform/modules/messaging';

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

/** Someone who comes back with the id of their last event. */
interface Returning {
  user: Pick<User, 'id' | 'user_type'>;
  since?: string | undefined;
}

interface Written extends SentMessage {
  transaction: bigint;
}

/**
 * Finds for each of these readers the messages that were written since their place in conversations that they see, oldest first.
 * The last ones before the place may be repeated. A reader is missing in the result if there are too many messages to send one by
 * one, and if their place belongs to another database from which this one was restored, or to a history that was lost (LIVE-6).
 * @param current the place that the readers get
 * @throws {Error} if that is one of another database, because a connection still leads to a server that was replaced.
 */
export async function listMissed<Reader extends Returning>(
  db: Executor,
  readers: readonly Reader[],
  current?: string,
): Promise<Map<Reader, SentMessage[]>> {
  const places = readers.flatMap((reader) => {
    const [mark = '', transaction = ''] = isPlace(reader.since ?? '') ? (reader.since ?? '').split('-') : [];
    return transaction === '' ? [] : [{ reader, mark, transaction: BigInt(transaction) }];
  });
  if (places.length === 0) return new Map();
  const oldest = places.reduce(
    (least, { transaction }) => (transaction < least ? transaction : least),
    places[0]?.transaction ?? 0n,
  );
  const { mark, end, written } = await readWritten(db, oldest);
  if (current !== undefined && !current.startsWith(`${mark}-`)) throw new Error('the database has been replaced');
  const audiences = await findChainAudiences(
    db,
    written.map(({ chain_id }) => chain_id),
  );
  const seers = new Map([...audiences].map(([chain, { members, staff }]) => [chain, new Set([...members, ...staff])]));
  const missed = new Map<Reader, SentMessage[]>();
  for (const place of places) {
    const since = written.filter(({ transaction }) => transaction >= place.transaction);
    if (place.mark !== mark || place.transaction > end || since.length > WRITTEN_MAX) continue;
    const seen = since.filter(({ chain_id }) => seers.get(chain_id)?.has(place.reader.user.id));
    missed.set(
      place.reader,
      seen.map(({ chain_id, message_id }) => ({ chain_id, message_id })),
    );
  }
  return missed;
}

/** Reads the newest messages since a transaction, one more than a reader may have missed. */
async function readWritten(db: Executor, oldest: bigint): Promise<{ mark: string; end: bigint; written: Written[] }> {
  const [row] = await query<{ mark: string; end: string; written: (SentMessage & { transaction: string })[] }>(
    db,
    sql`with written as materialized (
          select m.id, m.chain_id, m.written_in from message m
           where m.written_in >= ${String(oldest)}::xid8 order by m.written_in desc ${limitTo(WRITTEN_MAX + 1)})
        select database_mark() as mark, pg_snapshot_xmax(pg_current_snapshot())::text as "end",
               (select coalesce(json_agg(json_build_object('chain_id', w.chain_id, 'message_id', w.id,
                                                           'transaction', w.written_in::text) order by w.id), '[]')
                  from written w) as written`,
  );
  if (row === undefined) throw new Error('the database returned no place');
  const written = row.written.map((one) => ({ ...one, transaction: BigInt(one.transaction) }));
  return { mark: row.mark, end: BigInt(row.end), written };
}
