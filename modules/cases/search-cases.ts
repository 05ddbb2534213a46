import type { Executor } from '@case-platform/lib/database';
import { toPrefixQuery } from '@case-platform/lib/database/prefix-query';
import { allOf, anyOf, NO_SQL, query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission } from '@case-platform/modules/accounts';
import { caseAccessReason, caseAccessReasons, ownCases } from './case-access.ts';
import { type CaseWalk, inOrder, isBehind, sortColumn, walkCases } from './walk-cases.ts';

/** The newest people and cases, and how many of either must have the words for these to be common. */
const SAMPLE = 1000;
const COMMON_IN_SAMPLE = 10;
/** Up to so many places are looked up one by one, wherever they are. */
const FEW = 500;
/** Cases that are looked at one by one, then those that are looked at all at once where some of these hold the words. */
const FIRST = 100;
const SOME = 3;
const FURTHER_MAX = 1000;
const NUMBER = /^#?([1-9]\d{0,14})$/;

/** What is looked for: words as a `tsquery`, and the number of a case, or 0. */
interface Wanted {
  adminId: number;
  words: string;
  number: number;
}

/**
 * The first of an admin's cases that hold the words, wherever they are: beginnings of words of a case's name, or of the name or
 * address of somebody on it (the address only where the admin may see it), or the case's number. The indexes of words tell
 * where few are. Words that many cases hold are met soon in the order that is asked for: a hundred cases are looked at, and
 * some hundred more where these hold some. What lies together far off is looked up whole, and then met in its order.
 * @returns ids, in no order.
 */
export async function searchCases(db: Executor, adminId: number, q: string, walk: CaseWalk): Promise<number[]> {
  const words = toPrefixQuery(q);
  if (words === null) return [];
  const wanted = { adminId, words, number: Number(NUMBER.exec(q.trim())?.[1] ?? 0) };
  const few = (await areCommon(db, words)) ? null : await lookUpFew(db, wanted, walk);
  if (few !== null) return few;
  const found: number[] = [];
  let rest = walk;
  for (let at = 0, count = FIRST; at < 2 && count > 0; at++) {
    const window = await lookThrough(db, wanted, rest, count);
    found.push(...window.found);
    if (found.length >= walk.most || window.last === null) return found;
    const { sort_key, id } = window.last;
    const conditions = [...walk.conditions, isBehind(walk.sort, sort_key, id)];
    rest = { ...walk, conditions, most: walk.most - found.length };
    // Twice as many as should be needed.
    count = found.length < SOME ? 0 : Math.min(FURTHER_MAX, Math.ceil((2 * FIRST * rest.most) / found.length));
  }
  return [...found, ...(await lookUpAll(db, wanted, rest))];
}

/** One by one: the index would have all that hold common words looked up. */
async function areCommon(db: Executor, words: string): Promise<boolean> {
  const hits = (newest: Sql) => sql`(select count(*) from (${newest} order by id desc limit ${SAMPLE}) newest
                                      where ts_match_vq(search, to_tsquery('simple', ${words})))`;
  const [sample] = await query<{ hits: number }>(
    db,
    sql`select greatest(${hits(sql`select search from user_account`)}, ${hits(sql`select search from case_file`)})::int as hits`,
  );
  return (sample?.hits ?? 0) >= COMMON_IN_SAMPLE;
}

/** By the indexes of words, in whosever cases; null where they are in more places than should be looked at one by one. */
async function lookUpFew(db: Executor, wanted: Wanted, walk: CaseWalk): Promise<number[] | null> {
  const [known] = await query<{ ids: number[] | null; most: number }>(
    db,
    sql`with named as materialized (
               select f.id from case_file f where f.search @@ to_tsquery('simple', ${wanted.words}) limit ${FEW + 1}),
             people as materialized (
               select u.* from user_account u where u.search @@ to_tsquery('simple', ${wanted.words}) limit ${FEW + 1}),
             theirs as materialized (
               select p.case_id as id from case_participant p
                where p.left_at is null and p.user_id = any(array(select u.id from people u where ${isFoundBy(wanted)}))
                  and (select count(*) from people) <= ${FEW}
                limit ${FEW + 1})
        select (select json_agg(id) from (
                 select id from named union select id from theirs union select ${wanted.number}::bigint) c) as ids,
               greatest((select count(*) from named), (select count(*) from people), (select count(*) from theirs))::int as most`,
  );
  if (known === undefined || known.most > FEW) return null;
  // `offset 0` keeps PostgreSQL from turning the few look-ups into one look at every case.
  const rows = await query<{ id: number }>(
    db,
    sql`select c.id from unnest(${known.ids ?? []}::bigint[]) m (id)
         cross join lateral (select f.* from case_file f where f.id = m.id offset 0) c
         where ${allOf([anyOf(caseAccessReasons(walk.reader, walk)), ...walk.conditions])} ${inOrder(walk.sort)} limit ${walk.most}`,
  );
  return rows.map(({ id }) => id);
}

/** Those of the next cases that hold the words, and the last that was looked at; null where there are no more. */
async function lookThrough(db: Executor, wanted: Wanted, { most: missing, ...walk }: CaseWalk, most: number) {
  const column = sortColumn(walk.sort);
  const window = sql`select c.id, ${column}, c.search from (${walkCases({ ...walk, most })}) page join case_file c on c.id = page.id
                     ${inOrder(walk.sort)} limit ${most}`;
  const holding = most === FIRST ? holdingSoon(wanted) : holdingAmong(wanted);
  const [seen] = await query<{ found: number[] | null; count: number; last: { sort_key: string; id: number } }>(
    db,
    sql`with newest as materialized (${window}),
             holding as (
               select c.id from (select * from newest c ${inOrder(walk.sort)} limit ${most}) c where ${holding}
                ${inOrder(walk.sort)} limit ${missing})
        select (select json_agg(id) from holding) as found, (select count(*)::int from newest) as count,
               (select json_build_object('sort_key', ${column}::text, 'id', c.id)
                  from (select c.*, row_number() over (${inOrder(walk.sort)}) as at from newest c) c order by at desc limit 1) as last`,
  );
  const { found, count, last } = seen ?? { found: null, count: 0, last: null };
  return { found: found ?? [], last: count < most ? null : last };
}

/** One by one, until enough are found. The function, which is what `@@` calls, keeps PostgreSQL from asking the index. */
function holdingSoon({ adminId, words, number }: Wanted): Sql {
  return sql`(c.id = ${number} or ts_match_vq(c.search, to_tsquery('simple', ${words})) or (
    select true from case_participant p join user_account u on u.id = p.user_id
     where p.case_id = c.id and p.left_at is null and ${isFoundBy({ adminId, words })} limit 1))`;
}

/** All at once: the people of all of these cases, each read once. */
function holdingAmong({ adminId, words, number }: Wanted): Sql {
  const people = sql`select p.user_id from case_participant p where p.case_id = any(array(select id from newest)) and p.left_at is null`;
  return sql`(c.id = ${number} or ts_match_vq(c.search, to_tsquery('simple', ${words})) or (c.id in (
    select p.case_id from case_participant p
     where p.left_at is null and p.user_id = any(array(
       select u.id from user_account u where u.id = any(array(${people})) and ${isFoundBy({ adminId, words })})))) is true)`;
}

/**
 * By the indexes of words, all that hold them: those that are the admin's own, and by the order, until enough are met, any
 * others.
 */
async function lookUpAll(db: Executor, wanted: Wanted, { reader, mine, ...walk }: CaseWalk): Promise<number[]> {
  const words = sql`to_tsquery('simple', ${wanted.words})`;
  const first = sql`${inOrder(walk.sort)} limit ${walk.most}`;
  // As it stands PostgreSQL asks each case whether it is among them, rather than to read all of these.
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
                  select u.id from user_account u where u.search @@ ${words} and ${isFoundBy(wanted)}))
               union all select ${wanted.number}::bigint),
             own as materialized (
               select own.case_id from (${ownCases(reader)}) own where own.case_id in (select id from holding))
        select c.id from (
               (select c.id from own join case_file c on c.id = own.case_id where ${allOf(walk.conditions)} ${first})
               ${mine ? NO_SQL : others}) page
          join case_file c on c.id = page.id ${first}`,
  );
  return rows.map(({ id }) => id);
}

/** By name; by address only for an admin who may see addresses, whom searching would tell them otherwise. */
function isFoundBy({ adminId, words }: Omit<Wanted, 'number'>): Sql {
  const wanted = sql`to_tsquery('simple', ${words})`;
  const maySee = adminHasPermission(adminId, 'view_users', 'edit_users');
  return sql`(ts_match_vq(u.search, ${wanted})
    and (${maySee} or ts_match_vq(to_tsvector('simple', u.first_name || ' ' || u.last_name), ${wanted})))`;
}
