import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import type { Reader } from '@case-platform/modules/accounts';
import { ownCases } from '@case-platform/modules/cases';
import type { ChainSearch } from './parse-search.ts';

/** How many of the newest messages show how common a word is. */
const SAMPLE = 1000;
/** Looking up a word reads all of its entries in the index, so a word of more than one in twenty messages is not looked up. */
const INDEXED_IN_SAMPLE = 50;
/** Only this many words of a search are weighed. Longer searches nearly always contain a rare word. */
const TERMS_MAX = 8;
/** The most messages that are looked up. An estimate may be 1.5 times as high, because a sample is not exact. */
export const RARE_MAX = 5000;
const ESTIMATE_MAX = 1.5 * RARE_MAX;
/** Microseconds with the data in memory, from `docs/records/ten-million-messages.md`. */
const COST = {
  /** One more statement. */
  lookUp: 300,
  /** Reading an entry of the index of words. */
  entry: 0.1,
  /** Reading an entry for the beginning of a word: PostgreSQL first collects and sorts the entries of all words that have it. */
  begun: 0.5,
  /** Reading a message that has the words, and its chain. */
  place: 3,
  /** Finding one of the user's chains, and comparing its subject. */
  chain: 8,
  /** Comparing a message of a chain. */
  message: 1.3,
};

/** How to search for some words. */
export interface Weighed {
  /** The words to look up in the index, as a `tsquery`; null if too many messages have them. */
  indexed: string | null;
  /** How many of the user's chains could be compared in the time that looking up takes; infinity if that should not be done. */
  costInChains: number;
  /** About how many chains the user sees. */
  seen: number;
}

interface Term {
  /** A `tsquery`. */
  term: string;
  /** The number of messages in the sample that have it. */
  hits: number;
}

interface TermRow extends Term {
  /** Rows of the tables, as PostgreSQL estimates them. */
  messages: number;
  chains: number;
  seen: number;
}

/** Estimates from the newest messages how common words are, and chooses those that are fastest to look up. */
export async function weighWords(db: Executor, user: Reader, words: string, search: ChainSearch): Promise<Weighed> {
  const weighed = search.terms.length === 0 ? [words] : search.terms.slice(0, TERMS_MAX);
  const rows = await query<TermRow>(
    db,
    sql`with term as materialized (select term, term::tsquery as words from unnest(${weighed}::text[]) term),
             sample as materialized (select search from message order by id desc ${limitTo(SAMPLE)})
        select term, count(*) filter (where ts_match_vq(search, words))::int as hits,
               ${rowsOf(sql`'message'`)} as messages, ${rowsOf(sql`'message_chain'`)} as chains, ${chainsOf(user)} as seen
          from term left join sample on true group by term order by hits`,
  );
  const [{ messages, chains, seen }] = rows as [TermRow];
  const rare = rows.filter(({ hits }) => hits < INDEXED_IN_SAMPLE);
  const choices = [rare, rare.filter((term) => !isBegun(term)), rows.slice(0, 1)].filter(({ length }) => length > 0);
  const chainCost = COST.chain + (messages / chains) * COST.message;
  const [best] = choices
    .map((terms) => ({ indexed: terms.map(({ term }) => term).join(' & '), costInChains: costOf(terms, messages) / chainCost }))
    .sort((a, b) => a.costInChains - b.costInChains);
  return best === undefined || best.costInChains === Infinity
    ? { indexed: null, costInChains: Infinity, seen }
    : { ...best, seen };
}

/** The number of chains that a user sees. For staff it is estimated: their cases times the average number of chains per case. */
function chainsOf(user: Reader): Sql {
  if (user.user_type !== 'admin')
    return sql`(select count(*)::float8 from message_chain_group g where g.user_id = ${user.id} and g.left_at is null)`;
  const perCase = sql`${rowsOf(sql`'message_chain'`)} / ${rowsOf(sql`'case_file'`)}`;
  return sql`(select count(*) from (${ownCases(user)}) own) * ${perCase}`;
}

/** The estimated number of rows of a table, at least 1. It is -1 for a table that was never analyzed. */
function rowsOf(table: Sql): Sql {
  return sql`(select greatest(reltuples, 1) from pg_class where oid = ${table}::regclass)`;
}

/** Whether the term is also found in longer words. */
function isBegun({ term }: Term): boolean {
  return term.includes(':*');
}

/** The time it takes to look up messages with all of these terms, in microseconds, assuming that the terms are independent. */
function costOf(terms: readonly Term[], messages: number): number {
  const shares = terms.map(({ hits }) => hits / SAMPLE);
  const places = shares.reduce((product, share) => product * share, messages);
  if (places > ESTIMATE_MAX) return Infinity;
  const begun = terms.filter(isBegun).reduce((sum, { hits }) => sum + hits / SAMPLE, 0);
  return COST.lookUp + messages * (Math.min(...shares) * COST.entry + begun * COST.begun) + places * COST.place;
}
