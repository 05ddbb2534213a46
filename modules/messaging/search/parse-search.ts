import { prefixQuery, termQuery } from '@case-platform/lib/database/search-query';
import { InvalidInputError, invalid } from '@case-platform/lib/errors';
import { parseDay } from '@case-platform/words/days';

/** A search of conversations, as people type it (CHAIN-17, CHAIN-21). */
export interface ChainSearch {
  /** The typed words without operators. */
  words: string;
  /** The words as a `tsquery`; null without any. */
  query: string | null;
  /** The words and phrases that a text must all have, each as a `tsquery`; none for a search with `or`. */
  terms: string[];
  /** Names of senders; `me` is the reader. */
  from: string[];
  /** Numbers of cases, and names as a `tsquery`. */
  cases: (number | string)[];
  hasFile: boolean;
  /** Days, YYYY-MM-DD. */
  before: string[];
  after: string[];
}

/** An operator with its value, a phrase, or a word. */
const TOKEN = /([a-z]+):(?:"([^"]*)"?|(\S+))|(-?)"([^"]*)"?|(\S+)/giu;
const CASE_NUMBER = /^#?([1-9]\d{0,14})$/;
/** An operator without a value, while it is being typed. */
const UNFINISHED = /^(?:from|case|has|before|after):$/i;
/** Quotation marks that phones type, and colons of East Asian keyboards. */
const QUOTES = /[“”„‟«»＂]/gu;

/**
 * Splits a search into words and operators: `from:`, `case:`, `has:file`, `before:`, and `after:`. Any other operator is a word.
 * @throws {InvalidInputError} for a day that does not exist.
 */
export function parseSearch(text: string): ChainSearch {
  const search: ChainSearch = { words: '', query: null, terms: [], from: [], cases: [], hasFile: false, before: [], after: [] };
  const words: Word[] = [];
  for (const [token, name = '', quoted, value = quoted ?? '', minus = '', phrase] of matchTokens(text)) {
    if (name !== '' && applyOperator(search, name.toLowerCase(), value.trim())) continue;
    if (UNFINISHED.test(token)) continue;
    const isExcluded = minus !== '' || (phrase === undefined && /^-[\p{L}\p{N}]/u.test(token));
    words.push({ text: phrase ?? (isExcluded ? token.slice(1) : token), isPhrase: phrase !== undefined, isExcluded });
  }
  const shown = words.filter(({ isExcluded }) => !isExcluded).map((word) => word.text);
  return { ...search, ...combine(words), words: shown.join(' ') };
}

/** Why a search is rejected, for the field of a form; undefined if it is not. */
export function findSearchProblem(text = ''): string | undefined {
  try {
    parseSearch(text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidInputError) return error.errors[0]?.message;
    throw error;
  }
}

interface Word {
  text: string;
  isPhrase: boolean;
  isExcluded: boolean;
}

function matchTokens(text: string): IterableIterator<RegExpExecArray> {
  return text.normalize('NFC').replaceAll(QUOTES, '"').replaceAll('：', ':').matchAll(TOKEN) as IterableIterator<RegExpExecArray>;
}

/** @returns whether it is an operator. */
function applyOperator(search: ChainSearch, name: string, value: string): boolean {
  if (name === 'from') search.from.push(value);
  else if (name === 'case') search.cases.push(Number(CASE_NUMBER.exec(value)?.[1] ?? 0) || (prefixQuery(value) ?? ''));
  else if (name === 'has' && /^files?$/i.test(value)) search.hasFile = true;
  else if (name === 'before' || name === 'after') search[name].push(requireDay(name, value));
  else return false;
  return true;
}

function requireDay(name: string, value: string): string {
  const day = parseDay(value);
  if (day === undefined) throw invalid('q', `“${value}” isn’t a day. Write the day like ${name}:2026-11-24.`);
  return day;
}

/** All words, or with `or` between them, those on either side. The last word may be the beginning of one. */
function combine(words: readonly Word[]): Pick<ChainSearch, 'query' | 'terms'> {
  const last = words.findLast(({ isExcluded }) => !isExcluded);
  const groups: Term[][] = [[]];
  for (const [at, word] of words.entries()) {
    const group = groups.at(-1) ?? [];
    const isOr = !word.isPhrase && word.text.toLowerCase() === 'or' && group.length > 0 && at < words.length - 1;
    const query = isOr ? null : termQuery(word.text, { isPrefix: word === last && !word.isPhrase });
    if (isOr) groups.push([]);
    else if (query !== null) group.push({ query: `(${query})`, isExcluded: word.isExcluded });
  }
  const [only = [], another] = groups.filter((group) => group.length > 0);
  const whole = groups.map((group) => group.map(({ query, isExcluded }) => `${isExcluded ? '!' : ''}${query}`).join(' & '));
  return {
    query: whole.filter((text) => text !== '').join(' | ') || null,
    terms: another === undefined ? only.filter(({ isExcluded }) => !isExcluded).map(({ query }) => query) : [],
  };
}

interface Term {
  query: string;
  isExcluded: boolean;
}
