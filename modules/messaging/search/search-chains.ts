import type { Executor } from '@case-platform/lib/database';
import { allOf, query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { chainIsVisible, visibleChains } from '../chain-access.ts';
import { type ChainSearch, parseSearch } from './parse-search.ts';
import { type SearchConditions, searchConditions } from './search-conditions.ts';

/** How common a word is, is estimated from the newest messages: it is common if one in a hundred contains it. */
const SAMPLE = 1000;
const COMMON_IN_SAMPLE = 10;
/** Only this many words of a search are checked for being common. Longer searches nearly always contain a rare word. */
const TERMS_MAX = 8;
/** The most index entries of rare words that a search reads. */
const RARE_MAX = 1000;
/** How many chains are searched in a step: a hundred first, which usually contain common words, then 5,000 at a time. */
const WINDOWS = [100, 5000];

interface Narrowed {
  /** A condition on `message_chain c`. */
  conditions: readonly Sql[];
  /** The most chains to find. */
  newest: number;
}

/** A search, as it is looked up. */
interface Wanted {
  query: string | null;
  /** The rare words as a `tsquery`, for the index. */
  rarest: string;
  /** Whether even these are common, or the search has no words. */
  is_common: boolean;
  conditions: SearchConditions;
}

/**
 * Finds chains that this user sees, with the words in the subject or one message, and a message that fulfills all operators:
 * ids, newest activity first. It searches the user's own chains in steps, newest first, until enough are found; for most people,
 * combining the index of a chain's messages with the index of words gives a few hundred entries. For staff who see very many
 * chains, it first looks up rare words or the sender in all chains and then checks access. The cost of neither way grows with the
 * tables.
 * @throws {InvalidInputError} for a day that does not exist.
 */
export async function searchChains(db: Executor, user: User, text: string, narrowed: Narrowed): Promise<number[]> {
  const search = parseSearch(text);
  const conditions = await searchConditions(db, user, search);
  if (search.query === null && conditions.chain.length + conditions.message.length === 0) return [];
  const target: Wanted = { query: search.query, ...(await weigh(db, search)), conditions };
  const { newest } = narrowed;
  const within = [...narrowed.conditions, ...conditions.chain];
  const ids: number[] = [];
  let before: number | null = null;
  for (let at = 0; ids.length < newest; at++) {
    if (at === 1) {
      const byIndex = await lookUp(db, user, target, { conditions: within, newest });
      if (byIndex !== null) return byIndex;
    }
    const most = WINDOWS[at] ?? 5000;
    const further = before === null ? within : [...within, sql`c.last_message_id < ${before}`];
    const window = visibleChains(user, { conditions: further, newest: most });
    const stillNeeded = newest - ids.length;
    const holding = target.is_common ? holdingSoon(target, stillNeeded) : holdingBoth(target);
    const [step] = await query<{ ids: number[] | null; last: number | null; count: number }>(
      db,
      sql`with newest as materialized (
                 select v.id, v.last_message_id from (${window}) v order by v.last_message_id desc limit ${most}),
               holding as materialized (${holding})
          select (select json_agg(f.id) from (
                   select n.id from newest n where n.id in (select id from holding)
                    order by n.last_message_id desc limit ${stillNeeded}) f) as ids,
                 (select min(last_message_id) from newest) as last, (select count(*)::int from newest) as count`,
    );
    ids.push(...(step?.ids ?? []));
    if (step === undefined || step.last === null || step.count < most) break;
    before = step.last;
  }
  return ids;
}

/** Estimates how common the words are from the newest messages. */
async function weigh(db: Executor, { query: words, terms }: ChainSearch): Promise<Pick<Wanted, 'rarest' | 'is_common'>> {
  if (words === null) return { rarest: '', is_common: true };
  const [row] = await query<Pick<Wanted, 'rarest' | 'is_common'>>(
    db,
    sql`with term as materialized (select term::tsquery from unnest(${terms.slice(0, TERMS_MAX)}::text[]) term),
             sample as materialized (select search from message order by id desc limit ${SAMPLE}),
             counted as (
               select term, count(*) filter (where ts_match_vq(sample.search, term)) as hits from term, sample group by term),
             whole as (select count(*) filter (where ts_match_vq(sample.search, ${words}::tsquery)) as hits from sample)
        select coalesce((select string_agg('(' || term::text || ')', ' & ') from counted where hits < ${COMMON_IN_SAMPLE}),
                        (select term::text from counted order by hits limit 1),
                        ${words}) as rarest,
               coalesce((select min(hits) from counted), (select hits from whole)) >= ${COMMON_IN_SAMPLE} as is_common`,
  );
  return row ?? { rarest: words, is_common: false };
}

/**
 * Searches chain by chain, for common words. The limit, and calling the function behind `@@` directly, keep PostgreSQL from
 * looking up all messages with the words first.
 */
function holdingSoon({ query: words, conditions: { message } }: Wanted, missing: number): Sql {
  const ofChain = [sql`m.chain_id = n.id`, ...message];
  const has = (all: readonly Sql[]) => sql`(select true from message m where ${allOf(all)} limit 1)`;
  const inMessage = has(words === null ? ofChain : [...ofChain, sql`ts_match_vq(m.search, ${words}::tsquery)`]);
  const inSubject = sql`(select ts_match_vq(c.search, ${words}::tsquery) from message_chain c where c.id = n.id)`;
  const orInSubject = message.length === 0 ? inSubject : sql`(${inSubject} and ${has(ofChain)})`;
  return sql`select n.id from newest n where ${words === null ? inMessage : sql`(${orInSubject} or ${inMessage})`}
     order by n.last_message_id desc limit ${missing}`;
}

/** Searches all chains at once by combining the index of a chain's messages with the index of words. */
function holdingBoth({ query: words, rarest, conditions: { message } }: Wanted): Sql {
  const ids = sql`any(array(select id from newest))`;
  const matches = sql`ts_match_vq(m.search, ${words}::tsquery)`;
  return sql`select m.chain_id as id from message m
     where m.chain_id = ${ids} and m.search @@ ${rarest}::tsquery and ${allOf([matches, ...message])}
    union all select c.id from message_chain c where c.id = ${ids} and c.search @@ ${words}::tsquery and ${fulfills(message)}`;
}

/** Whether chain `c` has a message that fulfills the operators. */
function fulfills(message: readonly Sql[]): Sql {
  return message.length === 0
    ? sql`true`
    : sql`exists (select from message m where ${allOf([sql`m.chain_id = c.id`, ...message])})`;
}

/** For staff: finds rare words, or else messages of the sender, in all chains by their index; null if there are too many. */
async function lookUp(db: Executor, user: User, target: Wanted, { conditions, newest }: Narrowed): Promise<number[] | null> {
  if (user.user_type !== 'admin') return null;
  const candidates = target.is_common ? ofSenders(target) : withRareWords(target);
  if (candidates === null) return null;
  const places = await query<{ id: number; holds: boolean }>(db, candidates);
  if (places.length > RARE_MAX) return null;
  const ids = [...new Set(places.filter(({ holds }) => holds).map(({ id }) => id))];
  const rows = await query<{ id: number }>(
    db,
    sql`select c.id from message_chain c
         where ${allOf([sql`c.id = any(${ids}::bigint[])`, chainIsVisible(user), ...conditions])}
         order by c.last_message_id desc limit ${newest}`,
  );
  return rows.map(({ id }) => id);
}

function withRareWords({ query: words, rarest, conditions: { message } }: Wanted): Sql {
  const holds = allOf([sql`ts_match_vq(m.search, ${words}::tsquery)`, ...message]);
  return sql`(select m.chain_id as id, ${holds} as holds from message m where m.search @@ ${rarest}::tsquery limit ${RARE_MAX + 1})
    union all
    (select c.id, ${fulfills(message)} from message_chain c where c.search @@ ${words}::tsquery limit ${RARE_MAX + 1})`;
}

/** Messages of the sender, for a search without words. */
function ofSenders({ query: words, conditions: { message, senders } }: Wanted): Sql | null {
  if (words !== null || senders === null) return null;
  return sql`select m.chain_id as id, ${allOf(message)} as holds from (${senders}) s (id)
    cross join lateral (select m.* from message m where m.from_id = s.id order by m.id desc limit ${RARE_MAX + 1}) m
    limit ${RARE_MAX + 1}`;
}
