import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { chainIsVisible } from './chain-access.ts';

/** A piece of text, and whether it is one of the search words. */
export interface SnippetPart {
  text: string;
  found: boolean;
}

/** Control characters that mark the search words. They are removed from the text itself first. */
const FROM = '\u0002';
const TO = '\u0003';
const HEADLINE = `MaxFragments=1, MaxWords=12, MinWords=5, StartSel="${FROM}", StopSel="${TO}"`;
/** Snippets come from the first characters of a very long message only. */
const LOOKED_THROUGH = 4000;

/**
 * Finds a line of text for each of these chains that shows the search words, from the newest message that contains them.
 * Leaves out chains with the words only in the subject, and chains that the user does not see.
 */
export async function findSnippets(
  db: Executor,
  user: Pick<User, 'id' | 'user_type'>,
  chainIds: readonly number[],
  q: string | undefined,
): Promise<ReadonlyMap<number, SnippetPart[]>> {
  const words = q?.trim() ?? '';
  if (words === '' || chainIds.length === 0) return new Map();
  const rows = await query<{ chain_id: number; line: string }>(
    db,
    sql`select c.id as chain_id, ts_headline('simple', translate(left(m.message, ${LOOKED_THROUGH}), ${FROM + TO}, ''),
            search_words(${words}), ${HEADLINE}) as line
       from message_chain c
       cross join lateral (select m.message from message m
                            where m.chain_id = c.id and m.search @@ search_words(${words}) order by m.id desc limit 1) m
      where c.id = any(${chainIds}::bigint[]) and ${chainIsVisible(user)}`,
  );
  return new Map(rows.map(({ chain_id, line }) => [chain_id, splitLine(line)]));
}

function splitLine(line: string): SnippetPart[] {
  const [before = '', ...rest] = line.replaceAll(/\s+/g, ' ').split(FROM);
  const parts = rest.flatMap((piece) => {
    const [match = '', after = ''] = piece.split(TO);
    return [
      { text: match, found: true },
      { text: after, found: false },
    ];
  });
  return [{ text: before, found: false }, ...parts].filter(({ text }) => text !== '');
}
