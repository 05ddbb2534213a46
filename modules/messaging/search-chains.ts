import type { Executor } from '@case-platform/lib/database';
import { allOf, query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { chainIsVisible, visibleChains } from './chain-access.ts';

/** The newest messages, which show how common words are, and how many of them must hold some for that: one in a hundred. */
const SAMPLE = 1000;
const COMMON_IN_SAMPLE = 10;
/** Words of a search that are told apart by how common they are; whoever types more has typed a rare one among them. */
const TERMS_MAX = 8;
/** Places that are looked up at most, wherever they are. */
const RARE_MAX = 1000;
/** Chains that are looked through at once: common words are in the first ones, and few people have more than the others. */
const WINDOWS = [100, 5000];

interface Narrowed {
  /** On `message_chain c`. */
  conditions: readonly Sql[];
  /** So many at most. */
  newest: number;
}

/** What is looked for. */
interface Wanted {
  words: string;
  /** Those of the words that few messages hold, as a `tsquery`: what the index is asked for. */
  rarest: string;
  /** Whether even these are in one message of a hundred. */
  is_common: boolean;
}

/**
 * The chains that this user sees and that hold the words, in their subject or one of their messages: ids, those with the newest
 * activity. Their own chains are looked through, the newest first, until enough are found, a hundred and then more at once: in
 * those of people, and of most staff, the index of a chain's messages and the index of words meet in a few hundred places. Whoever
 * sees very many is told by the index of words where rare ones are, in whosever chains, and asked for access to these. None of
 * this grows with the tables.
 */
export async function searchChains(
  db: Executor,
  user: Pick<User, 'id' | 'user_type'>,
  words: string,
  { conditions, newest }: Narrowed,
): Promise<number[]> {
  const wanted = await weigh(db, words);
  const found: number[] = [];
  let before: number | null = null;
  for (let at = 0; found.length < newest; at++) {
    if (at === 1) {
      const known = await lookUp(db, user, wanted, { conditions, newest });
      if (known !== null) return known;
    }
    const most = WINDOWS[at] ?? 5000;
    const further = before === null ? conditions : [...conditions, sql`c.last_message_id < ${before}`];
    const window = visibleChains(user, { conditions: further, newest: most });
    const missing = newest - found.length;
    const holding = wanted.is_common ? holdingSoon(words, missing) : holdingBoth(wanted);
    const [seen] = await query<{ found: number[] | null; last: number | null; count: number }>(
      db,
      sql`with newest as materialized (
                 select v.id, v.last_message_id from (${window}) v order by v.last_message_id desc limit ${most}),
               holding as materialized (${holding})
          select (select json_agg(f.id) from (
                   select n.id from newest n where n.id in (select id from holding)
                    order by n.last_message_id desc limit ${missing}) f) as found,
                 (select min(last_message_id) from newest) as last, (select count(*)::int from newest) as count`,
    );
    found.push(...(seen?.found ?? []));
    if (seen === undefined || seen.last === null || seen.count < most) break;
    before = seen.last;
  }
  return found;
}

/** How common the words are among the newest messages. */
async function weigh(db: Executor, words: string): Promise<Wanted> {
  // Phrases, `or` and what is not to be there are taken as a whole.
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
 * Chain by chain, for words that are met soon. They are read once; the limit and the function, which is what `@@` calls, keep
 * PostgreSQL from looking all messages that hold them up first.
 */
function holdingSoon(words: string, missing: number): Sql {
  const wanted = sql`(select search_words(${words}))`;
  return sql`select n.id from newest n
     where (select ts_match_vq(c.search, ${wanted}) from message_chain c where c.id = n.id)
        or (select true from message m where m.chain_id = n.id and ts_match_vq(m.search, ${wanted}) limit 1)
     order by n.last_message_id desc limit ${missing}`;
}

/** All chains at once: where the index of a chain's messages and that of words meet. */
function holdingBoth({ words, rarest }: Wanted): Sql {
  const wanted = sql`(select search_words(${words}))`;
  const ids = sql`any(array(select id from newest))`;
  return sql`select m.chain_id as id from message m
     where m.chain_id = ${ids} and m.search @@ (select ${rarest}::tsquery) and ts_match_vq(m.search, ${wanted})
    union all select c.id from message_chain c where c.id = ${ids} and c.search @@ ${wanted}`;
}

/** For staff, rare words by their index, in whosever chains; null where they are in more places than should be looked at. */
async function lookUp(
  db: Executor,
  user: Pick<User, 'id' | 'user_type'>,
  { words, rarest, is_common }: Wanted,
  { conditions, newest }: Narrowed,
): Promise<number[] | null> {
  if (user.user_type !== 'admin' || is_common) return null;
  const wanted = sql`(select search_words(${words}))`;
  const places = await query<{ id: number; holds: boolean }>(
    db,
    sql`(select m.chain_id as id, ts_match_vq(m.search, ${wanted}) as holds from message m
          where m.search @@ ${rarest}::tsquery limit ${RARE_MAX + 1})
        union all
        (select c.id, true from message_chain c where c.search @@ ${wanted} limit ${RARE_MAX + 1})`,
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
