import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission, sessionHash, type User, webSessionHash } from '@case-platform/modules/accounts';

/** The person behind an open stream, and what the stream was opened with. */
export interface LiveReader {
  user: Pick<User, 'id' | 'user_type'>;
  /** The id of the sign-in at the web frontend that the stream is for. */
  webSession?: string | undefined;
  /** The id of the session at the staff application that the stream is for. */
  staffSession?: string | undefined;
  /** The email address that the stream's access token names: when the account's address changes, such tokens end. */
  tokenAddress?: string | undefined;
}

/** Readers as rows `(place, user_id, web_session, staff_session, token_address)`, by their places in a list. */
export function readerRows(readers: ReadonlyMap<number, LiveReader>): Sql {
  const all = [...readers.values()];
  const web = all.map(({ webSession }) => (webSession === undefined ? null : webSessionHash(webSession)));
  const staff = all.map(({ staffSession }) => (staffSession === undefined ? null : sessionHash(staffSession)));
  return sql`unnest(${[...readers.keys()]}::int[], ${all.map(({ user }) => user.id)}::bigint[], ${web}::bytea[],
                    ${staff}::bytea[], ${all.map(({ tokenAddress }) => tokenAddress ?? null)}::text[])
               reader (place, user_id, web_session, staff_session, token_address)`;
}

/**
 * Whether a row `reader` may still receive something: the account is active, its role still reads messages, and the token or
 * session that opened the stream would still be accepted.
 */
export const MAY_RECEIVE = sql`(
  exists (select from user_account u where u.id = reader.user_id and u.status = 'active'
             and u.email_address = coalesce(reader.token_address, u.email_address)
             and (u.user_type <> 'admin' or ${adminHasPermission(sql`u.id`, 'view_messages')}))
  and not exists (select from ended_web_session e where e.id_hash = reader.web_session)
  and (reader.staff_session is null or exists (select from admin_session s where s.id_hash = reader.staff_session)))`;

/** Which of these readers must receive nothing more, and whose streams end. One statement for all. */
export async function findEnded<Reader extends LiveReader>(
  db: Executor,
  readers: readonly Reader[],
): Promise<Set<Reader>> {
  if (readers.length === 0) return new Set();
  const rows = await query<{ place: number }>(
    db,
    sql`select reader.place from ${readerRows(new Map(readers.entries()))} where not ${MAY_RECEIVE}`,
  );
  return new Set(rows.flatMap(({ place }) => readers[place] ?? []));
}
