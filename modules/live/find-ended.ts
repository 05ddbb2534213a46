import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission, sessionHash, type User, webSessionHash } from '@case-platform/modules/accounts';

/** The person with an open stream, and the session or token that opened it. */
export interface LiveReader {
  user: Pick<User, 'id' | 'user_type'>;
  webSession?: string | undefined;
  staffSession?: string | undefined;
  /** The email address in the access token: when the account gets another address, such tokens end. */
  tokenAddress?: string | undefined;
}

/** The readers as rows `(place, user_id, web_session, staff_session, token_address)`, with `place` being their key in the map. */
function readerRows(readers: ReadonlyMap<number, LiveReader>): Sql {
  const all = [...readers.values()];
  const web = all.map(({ webSession }) => (webSession === undefined ? null : webSessionHash(webSession)));
  const staff = all.map(({ staffSession }) => (staffSession === undefined ? null : sessionHash(staffSession)));
  return sql`unnest(${[...readers.keys()]}::int[], ${all.map(({ user }) => user.id)}::bigint[], ${web}::bytea[],
                    ${staff}::bytea[], ${all.map(({ tokenAddress }) => tokenAddress ?? null)}::text[])
               reader (place, user_id, web_session, staff_session, token_address)`;
}

/**
 * A condition on a row `reader`: the account is active, its role still reads messages, and the token or session that opened the
 * stream is still valid (LIVE-3).
 */
const MAY_RECEIVE = sql`(
  exists (select from user_account u where u.id = reader.user_id and u.status = 'active'
             and u.email_address = coalesce(reader.token_address, u.email_address)
             and (u.user_type <> 'admin' or ${adminHasPermission(sql`u.id`, 'view_messages')}))
  and not exists (select from ended_web_session e where e.id_hash = reader.web_session)
  and (reader.staff_session is null or exists (select from admin_session s where s.id_hash = reader.staff_session)))`;

/** Finds readers whose streams have to end, in one statement. */
export async function findEnded<Reader extends LiveReader>(db: Executor, readers: readonly Reader[]): Promise<Set<Reader>> {
  if (readers.length === 0) return new Set();
  const rows = await query<{ place: number }>(
    db,
    sql`select reader.place from ${readerRows(new Map(readers.entries()))} where not ${MAY_RECEIVE}`,
  );
  return new Set(rows.flatMap(({ place }) => readers[place] ?? []));
}
