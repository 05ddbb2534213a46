import type { Executor } from '@case-platform/lib/database';
import { allOf, limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import type { Reader } from '@case-platform/modules/accounts';
import { chainIsVisible, visibleChains } from '../chain-access.ts';
import { parseSearch } from './parse-search.ts';
import { type SearchConditions, searchConditions } from './search-conditions.ts';
import { RARE_MAX, type Weighed, weighWords } from './weigh-words.ts';

/**
 * How many chains a step searches: first a hundred, which usually contain common words, then as many as should be enough if the
 * words are as frequent as in the chains before. Each number makes another prepared statement, so there are few.
 */
const WINDOWS = [100, 400, 1000, 2500] as const;
const [FIRST] = WINDOWS;
const MOST = 5000;
/** Without words, the newest chains are compared before messages of the sender are looked up. */
const OPERATORS_ONLY: Weighed = { indexed: null, costInChains: FIRST, seen: Infinity };
/** Chains with the words are not spread evenly, so a step searches more than would be needed if they were. */
const MARGIN = 1.25;

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

interface Wanted {
  /** The words as a `tsquery`; null for a search with operators only. */
  query: string | null;
  conditions: SearchConditions;
}

/**
 * Finds chains that this user sees, with the words in the subject or one message, and a message that fulfills all operators:
 * their rows, newest activity first. It compares the user's own chains in steps, newest first, until enough are found. As soon as
 * that would take longer than looking up the words, or the sender, in the index of all messages, it does that and then checks
 * access. The cost of neither way grows with the tables.
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
  const target: Wanted = { query: search.query, conditions };
  const { indexed, costInChains, seen } =
    search.query === null ? OPERATORS_ONLY : await weighWords(db, user, search.query, search);
  const { newest, rowsOf } = narrowed;
  const within = [...narrowed.conditions, ...conditions.chain];
  const found: Row[] = [];
  let before: number | null = null;
  let searched = 0;
  let isLookedUp = false;
  while (found.length < newest) {
    const further = before === null ? within : [...within, sql`c.last_message_id < ${before}`];
    const needed = searched === 0 ? FIRST : (MARGIN * (newest - found.length) * searched) / found.length;
    // The estimate of `seen` misses chains without a case, so at least as many may be left as were searched.
    const left = Math.max(seen - searched, searched);
    if (!isLookedUp && costInChains < Math.min(needed, left)) {
      const byIndex = await lookUp<Row>(db, user, target, indexed, { ...narrowed, conditions: within });
      if (byIndex !== null) return byIndex;
      isLookedUp = true;
    }
    const most = WINDOWS.find((size) => size >= Math.min(needed, left)) ?? MOST;
    // Comparing chain by chain stops as soon as enough are found, which pays off if they are expected before the end of the step.
    const isSoon = searched === 0 ? costInChains >= FIRST : needed < left;
    const window = visibleChains(user, { conditions: further, newest: most });
    const rows = await query<StepRow<Row>>(
      db,
      sql`with newest as materialized (
                 select v.id, v.last_message_id from (${window}) v order by v.last_message_id desc ${limitTo(most)}),
               holding as materialized (${isSoon ? holdingSoon(target, newest) : holdingAny(target, indexed)}),
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
    searched += step.step_count;
  }
  return found;
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

/**
 * Searches all chains of a step at once. If it cannot stop early anyway, this takes two thirds of the time. In a small table,
 * PostgreSQL combines the index of words with that of a chain's messages.
 */
function holdingAny({ query: words, conditions: { message } }: Wanted, indexed: string | null): Sql {
  const ids = sql`any(array(select id from newest))`;
  const all = [sql`m.chain_id = ${ids}`, ...message];
  if (indexed !== null) all.push(sql`m.search @@ ${indexed}::tsquery`);
  if (words !== null) all.push(sql`ts_match_vq(m.search, ${words}::tsquery)`);
  const ofMessages = sql`select m.chain_id as id from message m where ${allOf(all)}`;
  if (words === null) return ofMessages;
  return sql`${ofMessages} union all select c.id from message_chain c
    where c.id = ${ids} and ts_match_vq(c.search, ${words}::tsquery) and ${fulfills(message)}`;
}

/** Whether chain `c` has a message that fulfills the operators. */
function fulfills(message: readonly Sql[]): Sql {
  return message.length === 0
    ? sql`true`
    : sql`exists (select from message m where ${allOf([sql`m.chain_id = c.id`, ...message])})`;
}

/** Finds rare words, or messages of the sender, in all chains by their index; null if there are too many. */
async function lookUp<Row extends FoundRow>(
  db: Executor,
  user: Reader,
  target: Wanted,
  indexed: string | null,
  { conditions, newest, rowsOf }: Narrowed,
): Promise<Row[] | null> {
  const candidates = indexed === null ? ofSenders(target) : withRareWords(target, indexed);
  if (candidates === null) return null;
  // Reads each chain by its key instead of hashing all, and sorts before it checks access, so that it stops at the first ones.
  const seen = sql`select c.id from (select c.* from (select distinct id from place where holds) place
                           cross join lateral (select * from message_chain where id = place.id offset 0) c
                           order by c.last_message_id desc offset 0) c
         where ${allOf([sql`(select count from places) <= ${RARE_MAX}`, chainIsVisible(user), ...conditions])}
         order by c.last_message_id desc ${limitTo(newest)}`;
  const rows = await query<{ are_many: boolean } & (Row | { id: null })>(
    db,
    sql`with place as materialized (${candidates}), places as materialized (select count(*) as count from place)
        select count > ${RARE_MAX} as are_many, row.* from places left join (${rowsOf(seen)}) row on true
         order by row.last_message_id desc`,
  );
  return rows[0]?.are_many === true ? null : rows.filter((row) => row.id !== null);
}

function withRareWords({ query: words, conditions: { message } }: Wanted, indexed: string): Sql {
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
