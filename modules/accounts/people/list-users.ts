import type { Executor } from '@case-platform/lib/database';
import { prefixQuery } from '@case-platform/lib/database/search-query';
import { allOf, limitTo, NO_SQL, query, rowsFor, type Sql, sql } from '@case-platform/lib/sql';
import { normalizeEmail } from '@case-platform/lib/text/email-address';
import { isBlank } from '@case-platform/lib/text/human-text';
import type { UserType } from '@case-platform/words/user-types';
import { nameMatches } from './searched-people.ts';

/** An invited person has no password yet; a deactivated one is rejected everywhere. */
export const USER_STATUSES = ['invited', 'active', 'deactivated'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

export interface UserSummary {
  id: number;
  email_address: string;
  user_type: UserType;
  first_name: string;
  last_name: string;
  status: UserStatus;
  agency_name: string | null;
  role_name: string | null;
  last_sign_in_at: Date | null;
  created_at: Date;
}

export interface UserFilter {
  /** Prefixes of names; all of them must match. */
  q?: string | undefined;
  /**
   * Also searches addresses, whole or by their beginning. Only for readers who may see addresses, because a search would reveal
   * them (SHOWN-3).
   */
  byAddress?: boolean | undefined;
  user_type?: UserType | undefined;
  status?: UserStatus | undefined;
  agency_id?: number | undefined;
  role_id?: number | undefined;
  limit?: number | undefined;
  /** The last id of the previous page. */
  cursor?: number | undefined;
}

/** Words are common if at least three of the newest 1,000 people match them; a walk from the newest then finds a page quickly. */
const SAMPLE = 1000;
const COMMON_IN_SAMPLE = 3;

/** Lists people, newest first, in keyset pages (STAFF-1). */
export async function listUsers(
  db: Executor,
  filter: UserFilter = {},
): Promise<{ data: UserSummary[]; next_cursor: number | null }> {
  const { limit = 25 } = filter;
  const isCommon = isSearched(filter) && (await areCommon(db, filter));
  const rows = await query<UserSummary>(db, listUsersStatement({ ...filter, limit: rowsFor(limit) }, isCommon));
  const data = rows.slice(0, limit);
  return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

/** Whether the list is searched: a text without letters and digits finds no one. */
function isSearched({ q }: UserFilter): boolean {
  return q !== undefined && !isBlank(q);
}

function conditionsOf({ user_type, status, agency_id, role_id, cursor }: UserFilter): Sql[] {
  const conditions: Sql[] = [];
  if (user_type !== undefined) conditions.push(sql`user_type = ${user_type}`);
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (agency_id !== undefined) conditions.push(sql`agency_id = ${agency_id}`);
  if (role_id !== undefined) conditions.push(sql`admin_role_id = ${role_id}`);
  if (cursor !== undefined) conditions.push(sql`id < ${cursor}`);
  return conditions;
}

/** True if the words are common among the people that the other filters leave. */
async function areCommon(db: Executor, filter: UserFilter): Promise<boolean> {
  const [sample] = await query<{ common: boolean }>(
    db,
    sql`select count(*) >= ${COMMON_IN_SAMPLE} as common
          from (select * from user_account where ${allOf(conditionsOf(filter))} order by id desc ${limitTo(SAMPLE)}) user_account
         where ${hasWords(filter)}`,
  );
  return sample?.common ?? false;
}

/** Calls the function behind `@@` directly, so that rows are checked one by one without an index. */
function hasWords({ q = '', byAddress }: UserFilter): Sql {
  if (byAddress !== true) return nameMatches(sql`user_account`, q);
  return sql`ts_match_vq(search, ${prefixQuery(q) ?? ''}::tsquery)`;
}

/**
 * The statement behind `listUsers`, exported so that a test can check its plan.
 * @param isCommon true if the words are common, so that a walk from the newest is faster than reading everyone who matches.
 */
export function listUsersStatement(filter: UserFilter & { limit: number }, isCommon = false): Sql {
  const conditions = conditionsOf(filter);
  if (isCommon) conditions.push(hasWords(filter));
  return sql`select u.id, u.email_address, u.user_type, u.first_name, u.last_name, u.status, a.name as agency_name,
                    r.name as role_name, s.signed_in_at as last_sign_in_at, u.created_at
               from (select * from ${isCommon ? sql`user_account` : matchingPeople(filter)} where ${allOf(conditions)}
                      order by id desc ${limitTo(filter.limit)}) u
               left join agency a on a.id = u.agency_id
               left join admin_role r on r.id = u.admin_role_id
               left join last_sign_in s on s.user_id = u.id
              order by u.id desc`;
}

/** The rows to filter: everyone, or the people who match the words. */
function matchingPeople(filter: UserFilter): Sql {
  if (!isSearched(filter)) return sql`user_account`;
  const text = filter.q?.trim() ?? '';
  const words = sql`${prefixQuery(text) ?? ''}::tsquery`;
  // The index includes addresses, so its results are checked against the names again.
  if (filter.byAddress !== true)
    return sql`(select * from user_account where search @@ ${words} and ${hasWords(filter)} offset 0) matches`;
  const isAddress = text.includes('@') && !/\s/u.test(text);
  const exact = isAddress ? sql`or email_address = ${normalizeEmail(text)}` : NO_SQL;
  // `offset 0` makes the search use its own index: a walk by id until 25 people match could read the whole table.
  return sql`(select * from user_account where search @@ ${words} ${exact} offset 0) matches`;
}
