import type { Executor } from '@case-platform/lib/database';
import { allOf, limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import type { Reader } from '@case-platform/modules/accounts';
import { chainIsVisible, visibleChains } from '../chain-access.ts';
import { type ChainSearch, parseSearch } from './parse-search.ts';
import { type SearchConditions, searchConditions } from './search-conditions.ts';

/** How common a word is, is estimated from the newest messages: it is common if one in a hundred contains it. */
const SAMPLE = 1000;
const COMMON_IN_SAMPLE = 10;
/** The index reads all of a word's entries, so words that are in one of twenty messages are only compared. */
const INDEXED_IN_SAMPLE = 50;
/** Only this many words of a search are checked for being common. Longer searches nearly always contain a rare word. */
const TERMS_MAX = 8;
/** The most messages with all indexed words that a search looks at in all chains, and the estimate up to which it tries. */
const RARE_MAX = 5000;
const RARE_ESTIMATE_MAX = 20_000;
/**
 * How many chains are searched in a step: a hundred first, which usually contain common words, then 400, which with these are
 * nearly all of a specialist's, then 5,000 at a time.
 */
const WINDOWS = [100, 400, 5000];
/** About as many messages as a long chain has. */
const MESSAGES_A_CHAIN = 50;

interface Narrowed {
  /** A condition on `message_chain c`. */
  conditions: readonly Sql[];
  /** The most chains to find. */
  newest: number;
  /** Makes a statement that reads the rows of chains from one that selects their ids. */
  rowsOf: (ids: Sql) => Sql;
}

interface FoundRow {
  id: number;
  last_message_id: number;
}

/** Where a step ended, beside each chain that it found, and alone if it found none. */
type StepRow<Row> = { step_last: number | null; step_count: number } & (Row | { id: null });

/** A search, as it is looked up. */
interface Wanted {
  query: string | null;
  /** The words that are not too common as a `tsquery`, for the index. */
  indexed: string;
  /** Whether even the rarest word is common, or the search has no words. */
  is_common: boolean;
  /** The estimated number of messages with the rarest word, whose index entries are all read. */
  entries: number;
  /** The estimated number of messages with all indexed words. */
  together: number;
  conditions: SearchConditions;
}

/**
 * Finds chains that this user sees, with the words in the subject or one message, and a message that fulfills all operators:
 * their rows, newest activity first. It searches the user's own chains in steps, newest first, until enough are found; for most
 * people, combining the index of a chain's messages with the index of words gives a few hundred entries. Where the rarest word
 * has more entries than these chains have messages, it compares the messages instead. For staff who see more chains, it looks up
 * words that are rarely together, or the sender, in all chains and then checks access. The cost of neither way grows with the
 * tables.
 * @throws {InvalidInputError} for a day that does not exist.
 */
export async function searchChains<Row extends FoundRow>(
  db: Executor,
  user: Reader,
  text: string,
  narrowed: Narrowed,
): Promise<Row[]> {
  const search = parseSearch(text);
  const conditions = await searchConditions(db, user, search);
  if (search.query === null && conditions.chain.length + conditions.message.length === 0) return [];
  const target: Wanted = { query: search.query, ...(await weigh(db, search)), conditions };
  const { newest, rowsOf } = narrowed;
  const within = [...narrowed.conditions, ...conditions.chain];
  const found: Row[] = [];
  let before: number | null = null;
  let areMany = target.is_common;
  const lookUpAt = areMany || target.entries > RARE_MAX ? 2 : 1;
  for (let at = 0; found.length < newest; at++) {
    if (at === lookUpAt && user.user_type === 'admin') {
      const byIndex = await lookUp<Row>(db, user, target, { ...narrowed, conditions: within });
      if (byIndex !== null) return byIndex;
      areMany = true;
    }
    const most = WINDOWS[at] ?? 5000;
    const further = before === null ? within : [...within, sql`c.last_message_id < ${before}`];
    const window = visibleChains(user, { conditions: further, newest: most });
    const holding =
      areMany || target.entries > Math.min(RARE_MAX, most * MESSAGES_A_CHAIN) ? holdingSoon(target, newest) : holdingBoth(target);
    const rows = await query<StepRow<Row>>(
      db,
      sql`with newest as materialized (
                 select v.id, v.last_message_id from (${window}) v order by v.last_message_id desc ${limitTo(most)}),
               holding as materialized (${holding}),
               found as materialized (
                 select n.id from newest n where n.id in (select id from holding)
                  order by n.last_message_id desc ${limitTo(newest)})
          select step.*, row.*
            from (select min(last_message_id) as step_last, count(*)::int as step_count from newest) step
            left join (${rowsOf(sql`select id from found`)}) row on true
           order by row.last_message_id desc`,
    );
    found.push(...rows.filter((row) => row.id !== null));
    const [step] = rows;
    if (step === undefined || step.step_last === null || step.step_count < most) break;
    before = step.step_last;
  }
  return found;
}

/** Estimates how common the words are from the newest messages. */
async function weigh(db: Executor, { query: words, terms }: ChainSearch): Promise<Omit<Wanted, 'query' | 'conditions'>> {
  if (words === null) return { indexed: '', is_common: true, entries: 0, together: 0 };
  const [row] = await query<Omit<Wanted, 'query' | 'conditions'>>(
    db,
    sql`with term as materialized (select term::tsquery from unnest(${terms.slice(0, TERMS_MAX)}::text[]) term),
             sample as materialized (select search from message order by id desc ${limitTo(SAMPLE)}),
             counted as (
               select term, count(*) filter (where ts_match_vq(sample.search, term)) as hits from term, sample group by term),
             rarest as (
               select coalesce((select min(hits) from counted),
                               (select count(*) from sample where ts_match_vq(search, ${words}::tsquery))) as hits,
                      (select reltuples from pg_class where oid = 'message'::regclass) as messages)
        select coalesce((select string_agg('(' || term::text || ')', ' & ') from counted where hits < ${INDEXED_IN_SAMPLE}),
                        (select term::text from counted order by hits limit 1),
                        ${words}) as indexed,
               hits >= ${COMMON_IN_SAMPLE} as is_common,
               messages * hits / ${SAMPLE} as entries,
               -- As if words were independent; one that is not in the sample counts half a message.
               messages * coalesce((select exp(sum(ln(greatest(hits, 0.5) / ${SAMPLE}))) from counted where hits < ${INDEXED_IN_SAMPLE}),
                                   hits::float8 / ${SAMPLE}) as together
          from rarest`,
  );
  return row ?? { indexed: words, is_common: false, entries: 0, together: 0 };
}

/**
 * Searches chain by chain, for common words. The limit, and calling the function behind `@@` directly, keep PostgreSQL from
 * looking up all messages with the words first.
 */
function holdingSoon({ query: words, conditions: { message } }: Wanted, newest: number): Sql {
  const ofChain = [sql`m.chain_id = n.id`, ...message];
  const has = (all: readonly Sql[]) => sql`(select true from message m where ${allOf(all)} limit 1)`;
  const inMessage = has(words === null ? ofChain : [...ofChain, sql`ts_match_vq(m.search, ${words}::tsquery)`]);
  const inSubject = sql`(select ts_match_vq(c.search, ${words}::tsquery) from message_chain c where c.id = n.id)`;
  const orInSubject = message.length === 0 ? inSubject : sql`(${inSubject} and ${has(ofChain)})`;
  return sql`select n.id from newest n where ${words === null ? inMessage : sql`(${orInSubject} or ${inMessage})`}
     order by n.last_message_id desc ${limitTo(newest)}`;
}

/** Searches all chains at once by combining the index of a chain's messages with the index of words. */
function holdingBoth({ query: words, indexed, conditions: { message } }: Wanted): Sql {
  const ids = sql`any(array(select id from newest))`;
  const matches = sql`ts_match_vq(m.search, ${words}::tsquery)`;
  return sql`select m.chain_id as id from message m
     where m.chain_id = ${ids} and m.search @@ ${indexed}::tsquery and ${allOf([matches, ...message])}
    union all select c.id from message_chain c where c.id = ${ids} and c.search @@ ${words}::tsquery and ${fulfills(message)}`;
}

/** Whether chain `c` has a message that fulfills the operators. */
function fulfills(message: readonly Sql[]): Sql {
  return message.length === 0
    ? sql`true`
    : sql`exists (select from message m where ${allOf([sql`m.chain_id = c.id`, ...message])})`;
}

/** For staff: finds rare words, or messages of the sender, in all chains by their index; null if there are too many. */
async function lookUp<Row extends FoundRow>(
  db: Executor,
  user: Reader,
  target: Wanted,
  { conditions, newest, rowsOf }: Narrowed,
): Promise<Row[] | null> {
  const candidates = target.query === null ? ofSenders(target) : withRareWords(target);
  if (candidates === null) return null;
  const places = await query<{ id: number; holds: boolean }>(db, candidates);
  if (places.length > RARE_MAX) return null;
  const ids = [...new Set(places.filter(({ holds }) => holds).map(({ id }) => id))];
  // Reads each chain by its key instead of hashing all, and sorts before it checks access, so that it stops at the first ones.
  const seen = sql`select c.id from (select c.* from unnest(${ids}::bigint[]) as place (id)
                           cross join lateral (select * from message_chain where id = place.id offset 0) c
                           order by c.last_message_id desc offset 0) c
         where ${allOf([chainIsVisible(user), ...conditions])}
         order by c.last_message_id desc ${limitTo(newest)}`;
  return query<Row>(db, rowsOf(seen));
}

function withRareWords({ query: words, indexed, together, conditions: { message } }: Wanted): Sql | null {
  if (together > RARE_ESTIMATE_MAX) return null;
  const holds = allOf([sql`ts_match_vq(m.search, ${words}::tsquery)`, ...message]);
  return sql`(select m.chain_id as id, ${holds} as holds from message m where m.search @@ ${indexed}::tsquery
      ${limitTo(RARE_MAX + 1)})
    union all
    (select c.id, ${fulfills(message)} from message_chain c where c.search @@ ${words}::tsquery ${limitTo(RARE_MAX + 1)})`;
}

/** Messages of the sender, for a search without words. */
function ofSenders({ conditions: { message, senders } }: Wanted): Sql | null {
  if (senders === null) return null;
  return sql`select m.chain_id as id, ${allOf(message)} as holds from (${senders}) s (id)
    cross join lateral (select m.* from message m where m.from_id = s.id order by m.id desc ${limitTo(RARE_MAX + 1)}) m
    ${limitTo(RARE_MAX + 1)}`;
}
