import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';

/** The newest messages, which show whether a word is common, and how many of them must hold it for that: one in a hundred. */
const SAMPLE = 1000;
const COMMON_IN_SAMPLE = 10;
/** Places that are looked up at most; words that are in more are common after all. */
const RARE_MAX = 1000;

/**
 * The condition that chain `c` holds the words, in its subject or one of its messages, for walking chains one by one. The
 * words are read once; the limit and the function, which is what `@@` calls, keep PostgreSQL from looking all messages that
 * hold them up first (measured with 100,000 messages and a word that is in all: 10 seconds, against 5 milliseconds).
 */
export function matchesWords(words: string): Sql {
  const wanted = sql`(select search_words(${words}))`;
  return sql`(ts_match_vq(c.search, ${wanted}) or (
    select true from message m where m.chain_id = c.id and ts_match_vq(m.search, ${wanted}) limit 1))`;
}

/**
 * How to search, so that the cost depends on the page and not on the tables. Few people's chains are few enough to look
 * through, newest first. Staff see very many: rare words are looked up in the index, and the chains that hold them are then
 * asked for with the searcher's own access; common words are met soon when walking, and looking all of them up would not end.
 * @returns the ids of the chains that hold the words, whosever they are; or the words; or neither, when nothing is searched.
 */
export async function findMatches(
  db: Executor,
  user: Pick<User, 'user_type'>,
  q: string | undefined,
): Promise<{ ids?: number[]; words?: string }> {
  const words = q?.trim() ?? '';
  if (words === '') return {};
  if (user.user_type !== 'admin') return { words };
  const [found] = await query<{ ids: number[] | null }>(db, lookUp(words));
  const ids = found?.ids ?? null;
  return ids === null || ids.length > RARE_MAX ? { words } : { ids: [...new Set(ids.map(Number))] };
}

const lookUp = (words: string) => sql`
  with query as materialized (select search_words(${words}) as words),
       sample as materialized (
         select count(*) filter (where ts_match_vq(newest.search, (select words from query))) as hits
           from (select search from message order by id desc limit ${SAMPLE}) newest)
  select case when (select hits from sample) < ${COMMON_IN_SAMPLE} then array(
           (select m.chain_id from message m where m.search @@ (select words from query) limit ${RARE_MAX + 1})
           union all (select c.id from message_chain c where c.search @@ (select words from query) limit ${RARE_MAX + 1}))
         end as ids`;
