import { createHash } from 'node:crypto';
import { findAdminRights, findSession, type Permission, type Session, type User } from '@case-platform/modules/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdminContext } from '../context.ts';
import { ownCookie } from './own-cookie.ts';

/** The admin context: what an admin's role allows. */
export interface AdminRole {
  role_name: string | null;
  permissions: ReadonlySet<Permission>;
  can(permission: Permission): boolean;
}

/** The person who sent a request. `admin` is the admin context; null for everyone who is not an admin. */
export interface Actor {
  user: User;
  session: Session;
  admin: AdminRole | null;
}

/** An actor whose guard has checked that there is an admin context. */
export interface StaffActor extends Actor {
  admin: AdminRole;
}

/** Whether there is an admin context. */
export function isStaff(actor: Actor): actor is StaffActor {
  return actor.admin !== null;
}

export type Visitors = ReturnType<typeof createVisitors>;

/** Sent with requests that a page makes by itself, which do not keep a session alive. */
export const BACKGROUND_HEADER = 'x-background';

/** Finds the person behind a request by the session cookie, once per request. */
export function createVisitors({ db, config, callLimits, now }: AdminContext) {
  const cookie = ownCookie('case_session', config);
  const actors = new WeakMap<FastifyRequest, Promise<Actor | null>>();

  // For an address that cannot be parsed, cookies are not parsed either.
  const sessionId = (request: FastifyRequest) => request.cookies?.[cookie.name] ?? '';

  async function read(request: FastifyRequest): Promise<Actor | null> {
    const id = sessionId(request);
    if (id === '' || id.length > 100) return null;
    const active = request.headers[BACKGROUND_HEADER] === undefined && request.routeOptions.config.background !== true;
    const session = await findSession(db, id, { idleSeconds: config.sessionIdleTtl, active }, now());
    if (session === null) return null;
    const { user } = session;
    await callLimits.count('calls_person', `user:${user.id}`);
    if (user.user_type !== 'admin') return { user, session, admin: null };
    const rights = await findAdminRights(db, user.id);
    return { user, session, admin: { ...rights, can: (permission) => rights.permissions.has(permission) } };
  }

  return {
    /** The session id that the browser sent; empty without one. */
    sessionId,
    /**
     * The number of a visit, which lasts from signing in to signing out. It is a hash of the session's cookie, so that it is
     * the same in the log, in the audit log and on error pages, and does not reveal the cookie.
     */
    visitOf(request: FastifyRequest): string | undefined {
      const id = sessionId(request);
      if (id === '') return undefined;
      const hex = createHash('sha256').update(`visit:${id}`).digest('hex');
      return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    },
    /**
     * The actor, or null for someone who is not signed in.
     * @throws {TooManyRequestsError} for someone who makes too many calls in a minute.
     */
    find(request: FastifyRequest): Promise<Actor | null> {
      const actor = actors.get(request) ?? read(request);
      actors.set(request, actor);
      return actor;
    },
    /** Whether the session is still open. Asking does not keep it alive. */
    async isSignedIn(request: FastifyRequest): Promise<boolean> {
      const id = sessionId(request);
      const options = { idleSeconds: config.sessionIdleTtl, active: false };
      return (await findSession(db, id, options, now())) !== null;
    },
    setCookie(reply: FastifyReply, sessionId: string): void {
      reply.setCookie(cookie.name, sessionId, cookie.options);
    },
    clearCookie(reply: FastifyReply): void {
      reply.clearCookie(cookie.name, cookie.options);
    },
  };
}
