import { type Executor, run } from '@case-platform/lib/database';
import type { UserType } from '@case-platform/words/user-types';
import { normalizeEmail } from '../users.ts';

/** An invited person has no password yet; a deactivated one is refused everywhere. */
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
  /** Beginnings of names, all of which must be there. */
  q?: string | undefined;
  /** Also beginnings of an address, or a whole one: for whoever may see addresses, or searching would tell them. */
  byAddress?: boolean | undefined;
  user_type?: UserType | undefined;
  status?: UserStatus | undefined;
  agency_id?: number | undefined;
  role_id?: number | undefined;
  limit?: number | undefined;
  /** The last id of the page before. */
  cursor?: number | undefined;
}

/** Words that are looked for at most: further ones are left out. */
const WORDS_MAX = 8;

/** Each word in full and taken apart at `@.+-_`, as the column's text is; its last part is a beginning. */
const SEARCH = `(
  select string_agg('(' || concat_ws(' | ', nullif(whole, '') || ':*', nullif(parts, '') || ':*') || ')', ' & ')::tsquery
    from unnest($1::text[]) word,
         lateral (select phraseto_tsquery('simple', word)::text as whole,
                         phraseto_tsquery('simple', translate(word, '@.+-_', '     '))::text as parts) terms
   where whole <> '' or parts <> '')`;

const NAMES = `to_tsvector('simple', first_name || ' ' || last_name)`;

/** The people on record, newest first, one keyset page. */
export async function listUsers(
  db: Executor,
  filter: UserFilter = {},
): Promise<{ data: UserSummary[]; next_cursor: number | null }> {
  const { limit = 25 } = filter;
  const { text, parameters } = listUsersStatement({ ...filter, limit: limit + 1 });
  const rows = await run<UserSummary>(db, text, parameters);
  const data = rows.slice(0, limit);
  return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

/** The statement behind `listUsers`, so that a test can look at its plan. */
export function listUsersStatement(filter: UserFilter & { limit: number }): { text: string; parameters: unknown[] } {
  const words = filter.q?.trim().split(/\s+/).filter(Boolean).slice(0, WORDS_MAX) ?? [];
  const parameters: unknown[] = words.length > 0 ? [words] : [];
  const conditions = ['true'];
  const add = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(`${condition} $${parameters.push(value)}`);
  };
  add('user_type =', filter.user_type);
  add('status =', filter.status);
  add('agency_id =', filter.agency_id);
  add('admin_role_id =', filter.role_id);
  add('id <', filter.cursor);
  return {
    text: `select u.id, u.email_address, u.user_type, u.first_name, u.last_name, u.status, a.name as agency_name,
                  r.name as role_name, s.signed_in_at as last_sign_in_at, u.created_at
             from (select * from ${foundBy(words, filter.byAddress === true, parameters)} where ${conditions.join(' and ')}
                    order by id desc limit $${parameters.push(filter.limit)}) u
             left join agency a on a.id = u.agency_id
             left join admin_role r on r.id = u.admin_role_id
             left join lateral (select signed_in_at from sign_in where user_id = u.id order by id desc limit 1) s on true
            order by u.id desc`,
    parameters,
  };
}

/** What to filter: everyone, or whom the search finds. */
function foundBy(words: string[], byAddress: boolean, parameters: unknown[]): string {
  if (words.length === 0) return 'user_account';
  // The index knows addresses, too: what it finds by one is looked at again.
  if (!byAddress)
    return `(select * from user_account where search @@ ${SEARCH} and ${NAMES} @@ ${SEARCH} offset 0) found`;
  const [only] = words;
  const isAddress = words.length === 1 && only?.includes('@');
  const exact = isAddress ? `or email_address = $${parameters.push(normalizeEmail(only ?? ''))}` : '';
  // The fence lets a search begin with its own index: walking by number until 25 match could mean walking to the end.
  return `(select * from user_account where search @@ ${SEARCH} ${exact} offset 0) found`;
}
