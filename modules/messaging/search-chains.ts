import type { Executor } from '@case-platform/lib/database';
import { allOf, query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { chainIsVisible, visibleChains } from './chain-access.ts';

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

/** The words of a search. */
interface Wanted {
  words: string;
  /** The rare words as a `tsquery`, for the index. */
  rarest: string;
  /** Whether even these are common. */
  is_common: boolean;
}

/**
 * Finds chains that this user sees and that contain the words in the subject or one message: ids, newest activity first. It
 * searches the user's own chains in steps, newest first, until enough are found; for most people, combining the index of a
 * chain's messages with the index of words gives a few hundred entries. For staff who see very many chains, it first looks up
 * rare words in all chains and then checks access. The cost of neither way grows with the tables.
 */
export async function searchChains(
  db: Executor,
  user: Pick<User, 'id' | 'user_type'>,
  words: string,
  { conditions, newest }: Narrowed,
): Promise<number[]> {
  const terms = await weigh(db, words);
  const ids: number[] = [];
  let before: number | null = null;
  for (let at = 0; ids.length < newest; at++) {
    if (at === 1) {
      const byIndex = await lookUp(db, user, terms, { conditions, newest });
      if (byIndex !== null) return byIndex;
    }
    const most = WINDOWS[at] ?? 5000;
    const further = before === null ? conditions : [...conditions, sql`c.last_message_id < ${before}`];
    const window = visibleChains(user, { conditions: further, newest: most });
    const stillNeeded = newest - ids.length;
    const holding = terms.is_common ? holdingSoon(words, stillNeeded) : holdingBoth(terms);
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
async function weigh(db: Executor, words: string): Promise<Wanted> {
  // A search with phrases, `or`, or excluded words is not split into words.
  const [weighed] = await query<Omit<Wanted, 'words'>>(
    db,
    sql`with query as materialized (select search_words(${words}) as words),
             term as materialized (
               select term::tsquery from query, regexp_split_to_table(
                      case when words::text ~ '^''[^'']*''(:[*])?( & ''[^'']*''(:[*])?)*$' then words::text end, ' & ') term
                limit ${TERMS_MAX}),
             sample as materialized (select search from message order by id desc limit ${SAMPLE}),
             counted as (
               select term, count(*) filter (where ts_match_vq(sample.search, term)) as hits from term, sample group by term),
             whole as (select count(*) filter (where ts_match_vq(sample.search, words)) as hits from query, sample)
        select coalesce((select string_agg(term::text, ' & ') from counted where hits < ${COMMON_IN_SAMPLE}),
                        (select term::text from counted order by hits limit 1),
                        (select words::text from query)) as rarest,
               coalesce((select min(hits) from counted), (select hits from whole)) >= ${COMMON_IN_SAMPLE} as is_common`,
  );
  return { words, ...(weighed ?? { rarest: '', is_common: false }) };
}

/**
 * Searches chain by chain, for common words. The limit, and calling the function behind `@@` directly, keep PostgreSQL from
 * looking up all messages with the words first.
 */
function holdingSoon(words: string, missing: number): Sql {
  const searched = sql`(select search_words(${words}))`;
  return sql`select n.id from newest n
     where (select ts_match_vq(c.search, ${searched}) from message_chain c where c.id = n.id)
        or (select true from message m where m.chain_id = n.id and ts_match_vq(m.search, ${searched}) limit 1)
     order by n.last_message_id desc limit ${missing}`;
}

/** Searches all chains at once by combining the index of a chain's messages with the index of words. */
function holdingBoth({ words, rarest }: Wanted): Sql {
  const searched = sql`(select search_words(${words}))`;
  const ids = sql`any(array(select id from newest))`;
  return sql`select m.chain_id as id from message m
     where m.chain_id = ${ids} and m.search @@ (select ${rarest}::tsquery) and ts_match_vq(m.search, ${searched})
    union all select c.id from message_chain c where c.id = ${ids} and c.search @@ ${searched}`;
}

/** For staff: finds rare words in all chains by their index, or null if that gives too many entries. */
async function lookUp(
  db: Executor,
  user: Pick<User, 'id' | 'user_type'>,
  { words, rarest, is_common }: Wanted,
  { conditions, newest }: Narrowed,
): Promise<number[] | null> {
  if (user.user_type !== 'admin' || is_common) return null;
  const searched = sql`(select search_words(${words}))`;
  const places = await query<{ id: number; holds: boolean }>(
    db,
    sql`(select m.chain_id as id, ts_match_vq(m.search, ${searched}) as holds from message m
          where m.search @@ ${rarest}::tsquery limit ${RARE_MAX + 1})
        union all
        (select c.id, true from message_chain c where c.search @@ ${searched} limit ${RARE_MAX + 1})`,
  );
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
