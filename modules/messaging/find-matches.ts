import { type Executor, run } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';

/** Words that are in fewer places than this are found by the words, others by walking the newest chains. */
const RARE_MAX = 1000;

/** The condition that chain `c` holds the words, in its subject or one of its messages. */
export function matchesWords(placeholder: string): string {
  return `(c.search @@ search_words(${placeholder}) or exists (
    select from message m where m.chain_id = c.id and m.search @@ search_words(${placeholder})))`;
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
  const rows = await run<{ chain_id: number }>(
    db,
    `(select m.chain_id from message m where m.search @@ search_words($1) limit $2)
     union all (select c.id from message_chain c where c.search @@ search_words($1) limit $2)`,
    [words, RARE_MAX + 1],
  );
  return rows.length > RARE_MAX ? { words } : { ids: [...new Set(rows.map((row) => row.chain_id))] };
}
