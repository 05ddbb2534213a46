import type { Database } from '@case-platform/db';
import { ForbiddenError, UnauthenticatedError } from '@case-platform/lib/errors';
import { defineGuard, type Guard } from '@case-platform/lib/guards';
import { findUserByToken, type TokenKeys, type User, type UserType } from '@case-platform/modules/accounts';
import type { FastifyRequest } from 'fastify';

export type Guards = ReturnType<typeof createGuards>;

interface GuardContext {
  db: Database;
  tokenKeys: TokenKeys;
  /** Origins of our own pages: the cookie counts only for what they ask. */
  origins: readonly string[];
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The JSON API's guards. Nothing but an access token of an active user gets past `user()`. */
export function createGuards({ db, tokenKeys, origins }: GuardContext) {
  /**
   * A signed-in user, of one of these types where any are named (specification, 'JSON API' 2 and 6).
   * 401 without a sound access token, 403 for another type.
   */
  function user({ user_types }: { user_types?: readonly UserType[] } = {}): Guard<User> {
    const name = user_types === undefined ? 'user()' : `user(${user_types.join(' ')})`;
    return defineGuard(name, async (request) => {
      const found = await findUserByToken(db, tokenKeys, 'access', readToken(request, origins));
      if (user_types !== undefined && !user_types.includes(found.user_type)) throw new ForbiddenError();
      return found;
    });
  }
  return { user };
}

/** The Bearer header comes first: a bad one is a 401 even beside a good cookie (decisions, section 5). */
function readToken(request: FastifyRequest, origins: readonly string[]): string {
  const header = request.headers.authorization;
  if (header !== undefined) {
    const bearer = /^Bearer +(\S+)$/i.exec(header)?.[1];
    if (bearer === undefined) throw new UnauthenticatedError();
    return bearer;
  }
  const cookie = request.cookies.api_token;
  if (cookie === undefined || cookie === '') throw new UnauthenticatedError();
  refuseForeignPage(request, origins);
  return cookie;
}

/** A browser sends the cookie along with what any page asks for: with it alone, only our own pages may change anything. */
function refuseForeignPage({ method, headers }: FastifyRequest, origins: readonly string[]): void {
  if (SAFE_METHODS.has(method)) return;
  const foreign = headers['sec-fetch-site'] === 'cross-site';
  if (foreign || (headers.origin !== undefined && !origins.includes(headers.origin))) {
    throw new ForbiddenError('This request did not come from one of our pages.', 'cross_site_request');
  }
}
