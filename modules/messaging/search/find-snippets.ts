import type { Executor } from '@case-platform/lib/database';
import { allOf, query, sql } from '@case-platform/lib/sql';
import { findWords } from '@case-platform/lib/text/searched-words';
import type { Reader } from '@case-platform/modules/accounts';
import { chainIsVisible } from '../chain-access.ts';
import { parseSearch } from './parse-search.ts';
import { searchConditions } from './search-conditions.ts';

/** A piece of text, and whether it is one of the search words. */
export interface SnippetPart {
  text: string;
  found: boolean;
}

/** Snippets come from the first characters of a very long message only. */
const LOOKED_THROUGH = 4000;
/** Characters before the first search word, and in all. */
const BEFORE = 30;
const LENGTH = 100;

/**
 * Finds a line of text for each of these chains that shows the search words, from the newest message that contains them and
 * fulfills the operators, or the name of a file of that message. Leaves out chains with the words only in the subject, and chains that the user does not see.
 */
export async function findSnippets(
  db: Executor,
  user: Reader,
  chainIds: readonly number[],
  q: string | undefined,
): Promise<ReadonlyMap<number, SnippetPart[]>> {
  if (chainIds.length === 0) return new Map();
  const search = parseSearch(q ?? '');
  if (search.query === null) return new Map();
  const { message } = await searchConditions(db, user, search);
  const holds = allOf([sql`m.chain_id = c.id`, sql`m.search @@ ${search.query}::tsquery`, ...message]);
  const rows = await query<{ chain_id: number; text: string; files: string[] | null }>(
    db,
    sql`select c.id as chain_id, left(m.message, ${LOOKED_THROUGH}) as text,
            (select json_agg(f.filename order by f.id) from message_file f where f.message_id = m.id) as files from message_chain c
       cross join lateral (select m.id, m.message from message m where ${holds} order by m.id desc limit 1) m
      where c.id = any(${chainIds}::bigint[]) and ${chainIsVisible(user)}`,
  );
  const lineOf = (text: string, files: readonly string[]) =>
    cutAround([text, ...files].find((one) => hasWords(one, search.words)) ?? text, search.words);
  return new Map(rows.map(({ chain_id, text, files }) => [chain_id, markWords(lineOf(text, files ?? []), search.words)]));
}

function hasWords(text: string, words: string): boolean {
  return findWords(text, words).next().done !== true;
}

/** A line of the text with the first search word. */
function cutAround(text: string, words: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  const [first] = findWords(line, words);
  const start = Math.max(0, (first?.start ?? 0) - BEFORE);
  const from = start === 0 ? 0 : line.indexOf(' ', start) + 1;
  const begin = from === 0 || from > (first?.start ?? 0) ? start : from;
  const end = line.length - begin <= LENGTH ? line.length : line.lastIndexOf(' ', begin + LENGTH);
  return line.slice(begin, end > (first?.end ?? begin) ? end : begin + LENGTH).toWellFormed();
}

/** A text in parts, with the words of a search marked. @throws {InvalidInputError} as `parseSearch`. */
export function markSearch(text: string, q: string): SnippetPart[] {
  return markWords(text, parseSearch(q).words);
}

function markWords(text: string, words: string): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let at = 0;
  for (const { start, end } of findWords(text, words)) {
    parts.push({ text: text.slice(at, start), found: false }, { text: text.slice(start, end), found: true });
    at = end;
  }
  return [...parts, { text: text.slice(at), found: false }].filter((part) => part.text !== '');
}
