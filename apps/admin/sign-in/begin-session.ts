import { closeSession, openSession, recordSignIn, type User } from '@case-platform/modules/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import { createOpenForms } from '../guards/open-forms.ts';
import { ownCookie } from '../guards/own-cookie.ts';
import { PREFERENCE_COOKIES, PREFERENCE_SECONDS } from '../page/preferences.ts';
import { createChallengeCookie } from './challenge-cookie.ts';

/** Where a request comes from: for throttles, and for showing people their sign-ins. */
export function originOf(request: FastifyRequest) {
  const { 'user-agent': user_agent = '', 'accept-language': accept_language } = request.headers;
  return { ip: request.ip, user_agent, accept_language };
}

/**
 * Completes signing in with a new session, whatever the browser sent. An earlier session, the challenge and the form's cookie
 * are removed.
 */
export async function beginSession(
  { context, visitors }: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  user: User,
): Promise<void> {
  const { db, config, now } = context;
  const at = now();
  const before = visitors.sessionId(request);
  if (before !== '') await closeSession(db, before);
  const id = await openSession(db, user, at);
  await recordSignIn(db, user.id, 'admin', originOf(request), at);
  visitors.setCookie(reply, id);
  createChallengeCookie(config).clear(reply);
  createOpenForms(config).forget(reply);
  const { name, options } = ownCookie(PREFERENCE_COOKIES.userType, config, '/login');
  reply.setCookie(name, user.user_type, { ...options, maxAge: PREFERENCE_SECONDS });
}
