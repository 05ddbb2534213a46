import { createHash, randomBytes } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '../users.ts';

/** A session of the staff application. */
export interface Session {
  user: User;
  csrf_token: string;
  signed_in_at: Date;
  /** The time of the sign-in, or of a later proof of identity (IDENTITY-5). */
  confirmed_at: Date;
}

/** Even an active session ends after this many seconds (SESSION-2). */
export const SESSION_MAX_SECONDS = 12 * 3600;

/** Only this hash of a session's id is stored. */
export function sessionHash(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}

/** Opens a session and returns its secret id. */
export async function openSession(db: Executor, user: User, now: Date): Promise<string> {
  const id = randomBytes(32).toString('base64url');
  await query(
    db,
    sql`insert into admin_session (id_hash, user_id, user_type, csrf_token, created_at, last_active_at, confirmed_at)
        values (${sessionHash(id)}, ${user.id}, ${user.user_type}, ${randomBytes(24).toString('base64url')}, ${now}, ${now},
                ${now})`,
  );
  return id;
}

/**
 * The session with this id, or null if it is unknown, idle for too long, or too old (SESSION-2), or if its account is not active.
 * `active` is false for requests that a page makes by itself, which do not renew a session.
 */
export async function findSession(
  db: Executor,
  id: string,
  { idleSeconds, active = true }: { idleSeconds: number; active?: boolean },
  now: Date,
): Promise<Session | null> {
  const [row] = await query<User & Omit<Session, 'user'> & { last_active_at: Date }>(
    db,
    sql`select u.id, u.email_address, u.user_type, u.first_name, u.last_name, u.agency_id, u.admin_role_id,
               s.csrf_token, s.created_at as signed_in_at, s.confirmed_at, s.last_active_at
          from admin_session s join user_account u on u.id = s.user_id and u.user_type = s.user_type
         where s.id_hash = ${sessionHash(id)} and u.status = 'active'
           and s.last_active_at > ${now}::timestamptz - make_interval(secs => ${idleSeconds})
           and s.created_at > ${now}::timestamptz - make_interval(secs => ${SESSION_MAX_SECONDS})`,
  );
  if (row === undefined) return null;
  const { csrf_token, signed_in_at, confirmed_at, last_active_at, ...user } = row;
  // At most one write per second, because a page comes with several requests.
  if (active && now.getTime() - last_active_at.getTime() > 1000) {
    await query(db, sql`update admin_session set last_active_at = ${now} where id_hash = ${sessionHash(id)}`);
  }
  return { user, csrf_token, signed_in_at, confirmed_at };
}

/** Stores the time of a new proof of identity (IDENTITY-5). */
export async function confirmSession(db: Executor, id: string, now: Date): Promise<void> {
  await query(db, sql`update admin_session set confirmed_at = ${now} where id_hash = ${sessionHash(id)}`);
}

/** Deletes a session; an unknown id is ignored. */
export async function closeSession(db: Executor, id: string): Promise<void> {
  await query(db, sql`delete from admin_session where id_hash = ${sessionHash(id)}`);
}

/** Deletes all sessions of an account except the one with the given id. */
export async function closeSessionsOf(db: Executor, userId: number, keepId?: string): Promise<void> {
  await query(
    db,
    sql`delete from admin_session
         where user_id = ${userId} and id_hash is distinct from ${keepId === undefined ? null : sessionHash(keepId)}`,
  );
}
