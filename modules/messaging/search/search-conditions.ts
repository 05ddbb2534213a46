import type { Executor } from '@case-platform/lib/database';
import { prefixQuery } from '@case-platform/lib/database/search-query';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { Reader } from '@case-platform/modules/accounts';
import { caseIsVisible } from '@case-platform/modules/cases';
import { startOfDay } from '@case-platform/words/days';
import { findTimeZone } from '@case-platform/words/time-zones';
import type { ChainSearch } from './parse-search.ts';

export interface SearchConditions {
  /** On `message_chain c`. */
  chain: Sql[];
  /** On `message m`. */
  message: Sql[];
  /** The senders, as a subquery of their ids; null for all. */
  senders: Sql | null;
}

/** The operators of a search as conditions. Days begin in the reader's time zone. */
export async function searchConditions(db: Executor, user: Reader, search: ChainSearch): Promise<SearchConditions> {
  const { cases, hasFile, before, after, from } = search;
  const chain = cases.map((term) => caseIs(user, term));
  const message: Sql[] = [];
  const zone = before.length + after.length === 0 ? 'UTC' : await timeZoneOf(db, user);
  for (const day of before) {
    const start = startOfDay(day, zone) ?? null;
    message.push(sql`m.created_at < ${start}`);
    chain.push(sql`c.created_at < ${start}`);
  }
  for (const day of after) {
    const start = startOfDay(day, zone) ?? null;
    message.push(sql`m.created_at >= ${start}`);
    chain.push(sql`c.last_message_at >= ${start}`);
  }
  if (hasFile) message.push(sql`exists (select from message_file f where f.message_id = m.id)`);
  const senders = from.map((name) => sendersNamed(user, name));
  message.push(...senders.map((ids) => sql`m.from_id in (${ids})`));
  // A message that was taken back shows its sender and time, and nothing to find.
  if (message.length > 0) message.push(sql`m.retracted_at is null`);
  return { chain, message, senders: senders[0] ?? null };
}

function caseIs(user: Reader, term: number | string): Sql {
  if (typeof term === 'number') return sql`c.case_id = ${term}`;
  return sql`c.case_id in (select f.id from case_file f where f.search @@ ${term}::tsquery and ${caseIsVisible(user, sql`f`)})`;
}

/** Searches names only, which readers of a message see, and no addresses (SHOWN-3). */
function sendersNamed({ id }: Reader, name: string): Sql {
  if (name.toLowerCase() === 'me') return sql`select ${id}::bigint`;
  const nameQuery = prefixQuery(name, 'A') ?? '';
  return sql`select u.id from user_account u where u.search @@ ${nameQuery}::tsquery`;
}

async function timeZoneOf(db: Executor, { id }: Reader): Promise<string> {
  const [account] = await query<{ timezone: string }>(db, sql`select timezone from user_account where id = ${id}`);
  return findTimeZone(account?.timezone) ?? 'UTC';
}
