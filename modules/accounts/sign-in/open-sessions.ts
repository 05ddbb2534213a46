import { createHash } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { SESSION_MAX_SECONDS } from './sessions.ts';

/** An open session of the staff application, as shown to its owner, without its id (SESSION-5). */
export interface OpenSession {
  created_at: Date;
  last_active_at: Date;
  current: boolean;
  user_agent: string | null;
  ip_address: string | null;
}

/**
 * An account's open sessions: the current one, then by latest activity. Address and browser come from the sign-in that opened
 * each session, which was stored with the same time.
 */
export async function listOpenSessions(
  db: Executor,
  userId: number,
  { currentId, idleSeconds }: { currentId: string; idleSeconds: number },
  now: Date,
): Promise<OpenSession[]> {
  return query<OpenSession>(
    db,
    sql`select s.created_at, s.last_active_at,
               s.id_hash = ${createHash('sha256').update(currentId).digest()} as current, i.user_agent,
               host(i.ip_address) as ip_address
          from admin_session s
          left join lateral (
            select user_agent, ip_address from sign_in
             where user_id = s.user_id and layer = 'admin' and signed_in_at = s.created_at
             order by id desc limit 1
          ) i on true
         where s.user_id = ${userId}
           and s.last_active_at > ${now}::timestamptz - make_interval(secs => ${idleSeconds})
           and s.created_at > ${now}::timestamptz - make_interval(secs => ${SESSION_MAX_SECONDS})
         order by current desc, s.last_active_at desc`,
  );
}
