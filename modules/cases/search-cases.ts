import type { Executor } from '@case-platform/lib/database';
import { prefixQuery } from '@case-platform/lib/database/search-query';
import { allOf, anyOf, limitTo, NO_SQL, query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission, nameMatches } from '@case-platform/modules/accounts';
import { caseAccessReason, caseAccessReasons, ownCases } from './case-access.ts';
import { type CaseWalk, inOrder, isBehind, sortColumn, walkCases } from './walk-cases.ts';

/** Words are common if this many of the newest 1,000 people, or of the newest 1,000 cases, match them. */
const SAMPLE = 1000;
const COMMON_IN_SAMPLE = 10;
/** With at most this many matches, each case is looked up by itself. */
const FEW = 500;
/** The first window of cases to check; if at least `SOME` of them match, a second, larger window is checked. */
const FIRST = 100;
const SOME = 3;
const FURTHER_MAX = 1000;
const FURTHER = [250, 500, FURTHER_MAX];
const NUMBER = /^#?([1-9]\d{0,14})$/;

/** The search: its words as a `tsquery`, its text, and a case number, or 0. */
interface Wanted {
  adminId: number;
  words: string;
  text: string;
  number: number;
}

/**
 * Finds the first of an admin's cases that match the words: prefixes of words in a case's name, or in the name or address of
 * someone on it (the address only if the admin may see it), or the case number. Rare words are looked up in the word indexes.
 * Common words match soon in the sort order, so a hundred cases are checked, and then up to a thousand more if some of these
 * matched. If that is not enough, all matches are looked up and sorted.
 * @returns ids in no particular order.
 */
export async function searchCases(db: Executor, adminId: number, q: string, walk: CaseWalk): Promise<number[]> {
  const words = prefixQuery(q);
  if (words === null) return [];
  const search = { adminId, words, text: q, number: Number(NUMBER.exec(q.trim())?.[1] ?? 0) };
  const few = (await areCommon(db, words)) ? null : await lookUpFew(db, search, walk);
  if (few !== null) return few;
  const matches: number[] = [];
  let rest = walk;
  for (let at = 0, count = FIRST; at < 2 && count > 0; at++) {
    const window = await lookThrough(db, search, rest, count);
    matches.push(...window.ids);
    if (matches.length >= walk.most || window.last === null) return matches;
    const { sort_key, id } = window.last;
    const conditions = [...walk.conditions, isBehind(walk.sort, sort_key, id)];
    rest = { ...walk, conditions };
    // Twice the number that should be needed.
    const enough = (2 * FIRST * (walk.most - matches.length)) / matches.length;
    count = matches.length < SOME ? 0 : (FURTHER.find((cases) => cases >= enough) ?? FURTHER_MAX);
  }
  return [...matches, ...(await lookUpAll(db, search, rest))];
}

/** Checks a sample row by row, because the index would return all matches of common words. */
async function areCommon(db: Executor, words: string): Promise<boolean> {
  const hits = (newest: Sql) => sql`(select count(*) from (${newest} order by id desc ${limitTo(SAMPLE)}) newest
                                      where ts_match_vq(search, ${words}::tsquery))`;
  const [sample] = await query<{ hits: number }>(
    db,
    sql`select greatest(${hits(sql`select search from user_account`)}, ${hits(sql`select search from case_file`)})::int as hits`,
  );
  return (sample?.hits ?? 0) >= COMMON_IN_SAMPLE;
}

/** Looks up matches in the word indexes, in cases of anyone; null if there are too many to check one by one. */
async function lookUpFew(db: Executor, search: Wanted, walk: CaseWalk): Promise<number[] | null> {
  const [candidates] = await query<{ ids: number[] | null; most: number }>(
    db,
    sql`with named as materialized (
               select f.id from case_file f where f.search @@ ${search.words}::tsquery ${limitTo(FEW + 1)}),
             people as materialized (
               select u.* from user_account u where u.search @@ ${search.words}::tsquery ${limitTo(FEW + 1)}),
             theirs as materialized (
               select p.case_id as id from case_participant p
                where p.left_at is null and p.user_id = any(array(select u.id from people u where ${isFoundBy(search)}))
                  and (select count(*) from people) <= ${FEW}
                ${limitTo(FEW + 1)})
        select (select json_agg(id) from (
                 select id from named union select id from theirs union select ${search.number}::bigint) c) as ids,
               greatest((select count(*) from named), (select count(*) from people), (select count(*) from theirs))::int as most`,
  );
  if (candidates === undefined || candidates.most > FEW) return null;
  // `offset 0` keeps PostgreSQL from turning the few lookups into a scan of all cases.
  const rows = await query<{ id: number }>(
    db,
    sql`select c.id from unnest(${candidates.ids ?? []}::bigint[]) m (id)
         cross join lateral (select f.* from case_file f where f.id = m.id offset 0) c
         where ${allOf([anyOf(caseAccessReasons(walk.reader, walk)), ...walk.conditions])}
         ${inOrder(walk.sort)} ${limitTo(walk.most)}`,
  );
  return rows.map(({ id }) => id);
}

/** Checks the next cases in order. @returns those that match, and the last one that was checked; null at the end. */
async function lookThrough(db: Executor, search: Wanted, walk: CaseWalk, most: number) {
  const column = sortColumn(walk.sort);
  const window = sql`select c.id, ${column}, c.search from (${walkCases({ ...walk, most })}) page join case_file c on c.id = page.id
                     ${inOrder(walk.sort)} ${limitTo(most)}`;
  const holding = most === FIRST ? holdingSoon(search) : holdingAmong(search);
  const [step] = await query<{ ids: number[] | null; count: number; last: { sort_key: string; id: number } }>(
    db,
    sql`with newest as materialized (${window}),
             holding as (
               select c.id from (select * from newest c ${inOrder(walk.sort)} ${limitTo(most)}) c where ${holding}
                ${inOrder(walk.sort)} ${limitTo(walk.most)})
        select (select json_agg(id) from holding) as ids, (select count(*)::int from newest) as count,
               (select json_build_object('sort_key', ${column}::text, 'id', c.id)
                  from (select c.*, row_number() over (${inOrder(walk.sort)}) as at from newest c) c order by at desc limit 1) as last`,
  );
  const { ids, count, last } = step ?? { ids: null, count: 0, last: null };
  return { ids: ids ?? [], last: count < most ? null : last };
}

/** Checks case by case until enough match. The function behind `@@` keeps PostgreSQL from using the index. */
function holdingSoon(search: Wanted): Sql {
  const { words, number } = search;
  return sql`(c.id = ${number} or ts_match_vq(c.search, ${words}::tsquery) or (
    select true from case_participant p join user_account u on u.id = p.user_id
     where p.case_id = c.id and p.left_at is null and ${isFoundBy(search)} limit 1))`;
}

/** Checks all cases of the window at once, and reads each of their people once. */
function holdingAmong(search: Wanted): Sql {
  const people = sql`select p.user_id from case_participant p where p.case_id = any(array(select id from newest)) and p.left_at is null`;
  const { words, number } = search;
  return sql`(c.id = ${number} or ts_match_vq(c.search, ${words}::tsquery) or (c.id in (
    select p.case_id from case_participant p
     where p.left_at is null and p.user_id = any(array(
       select u.id from user_account u where u.id = any(array(${people})) and ${isFoundBy(search)})))) is true)`;
}

/** Looks up all matches in the word indexes: the admin's own cases, and other cases in sort order until enough match. */
async function lookUpAll(db: Executor, search: Wanted, { reader, mine, ...walk }: CaseWalk): Promise<number[]> {
  const words = sql`${search.words}::tsquery`;
  const first = sql`${inOrder(walk.sort)} ${limitTo(walk.most)}`;
  // Without `is true`, PostgreSQL would read all matches instead of testing each case for membership.
  const holds = sql`(c.id in (select id from holding)) is true`;
  const others = sql`union (select c.id from case_file c
    where ${allOf([caseAccessReason('view_all_cases', reader), ...walk.conditions, holds])} ${first})`;
  const rows = await query<{ id: number }>(
    db,
    sql`with holding as materialized (
               select f.id from case_file f where f.search @@ ${words}
               union all
               select p.case_id from case_participant p
                where p.left_at is null and p.user_id = any(array(
                  select u.id from user_account u where u.search @@ ${words} and ${isFoundBy(search)}))
               union all select ${search.number}::bigint),
             own as materialized (
               select own.case_id from (${ownCases(reader)}) own where own.case_id in (select id from holding))
        select c.id from (
               (select c.id from own join case_file c on c.id = own.case_id where ${allOf(walk.conditions)} ${first})
               ${mine ? NO_SQL : others}) page
          join case_file c on c.id = page.id ${first}`,
  );
  return rows.map(({ id }) => id);
}

/** Matches names, and addresses only for an admin who may see them, because a search would reveal them (SHOWN-3). */
function isFoundBy({ adminId, words, text }: Wanted): Sql {
  const seesAddresses = adminHasPermission(adminId, 'view_users', 'edit_users');
  return sql`(ts_match_vq(u.search, ${words}::tsquery) and (${seesAddresses} or ${nameMatches(sql`u`, text)}))`;
}
