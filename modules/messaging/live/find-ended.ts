import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { webSessionHash } from '@case-platform/modules/accounts';
import { adminHolds } from '@case-platform/modules/permissions';

/**
 * Which of these readers are told nothing more: their account is closed, their role reads messages no longer, or the sign-in of
 * the web frontend that they read for has ended. One statement for all.
 */
export async function findEnded<Reader extends { user: { id: number }; webSession?: string | undefined }>(
  db: Executor,
  readers: readonly Reader[],
): Promise<Reader[]> {
  if (readers.length === 0) return [];
  const ids = readers.map(({ user }) => user.id);
  const sessions = readers.map(({ webSession }) => (webSession === undefined ? null : webSessionHash(webSession)));
  const rows = await query<{ place: number }>(
    db,
    sql`select reader.place::int as place
          from unnest(${ids}::bigint[], ${sessions}::bytea[]) with ordinality reader (user_id, session, place)
          left join user_account u on u.id = reader.user_id and u.status = 'active'
         where u.id is null or (u.user_type = 'admin' and not ${adminHolds(sql`u.id`, 'view_messages')})
            or exists (select from ended_web_session e where e.id_hash = reader.session)`,
  );
  const ended = new Set(rows.map(({ place }) => readers[place - 1]));
  return readers.filter((reader) => ended.has(reader));
}
