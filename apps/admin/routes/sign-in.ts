import { UnauthenticatedError } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
import { checkPassword, closeSession, openSession, USER_TYPES, type UserType } from '@case-platform/modules/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { refuseForeignPage } from '../own-requests.ts';
import { PREFERENCE_COOKIES, PREFERENCE_SECONDS, readPreferences } from '../preferences.ts';
import { safeNext } from '../safe-next.ts';
import { sendPage } from '../send-page.ts';
import { signInPage } from '../views/sign-in.ts';
import { SESSION_COOKIE } from '../visitors.ts';

const Next = Type.Optional(Type.String({ maxLength: 4000 }));
const SignInForm = Type.Object({
  email: Type.String({ maxLength: 1000 }),
  password: Type.String({ maxLength: 4000 }),
  user_type: Type.Unsafe<UserType>({ type: 'string', enum: [...USER_TYPES], default: 'admin' }),
  next: Next,
});

const NEEDS_CODE =
  'This account asks for a one-time code after the password, and codes cannot be entered here yet. Ask an administrator to help you in.';

/** Signing in and out (specification, 'States and transitions'). */
export function signInRoutes(server: AdminServer): void {
  const { app, context, guards, visitors } = server;
  const { db, config } = context;
  const idleMinutes = Math.round(config.sessionIdleTtl / 60);

  app.get(
    '/login',
    { config: { guard: publicRoute('the sign-in page') }, schema: { querystring: Type.Object({ next: Next }) } },
    async (request, reply) => {
      const next = safeNext(request.query.next);
      if ((await visitors.find(request)) !== null) return reply.redirect(next);
      const preferences = readPreferences(request);
      return sendPage(reply, signInPage({ preferences, next, userType: preferences.userType, idleMinutes }));
    },
  );

  app.post(
    '/login',
    { config: { guard: publicRoute('signing in') }, schema: { body: SignInForm } },
    async (request, reply) => {
      // Nobody is signed in yet, hence no session's token: where the form comes from is what protects it.
      refuseForeignPage(request, config.adminUrl);
      const problem = await trySigningIn(server, request, request.body, reply);
      if (problem === undefined) return reply.redirect(safeNext(request.body.next), 303);
      const { email, user_type, next } = request.body;
      const preferences = readPreferences(request);
      reply.code(problem === NEEDS_CODE ? 403 : 401);
      return sendPage(
        reply,
        signInPage({ preferences, next: safeNext(next), userType: user_type, email, idleMinutes, problem }),
      );
    },
  );

  app.post('/logout', { config: { guard: guards.pageGuard({ user_types: USER_TYPES }) } }, async (request, reply) => {
    await closeSession(db, request.cookies[SESSION_COOKIE] ?? '');
    visitors.clearCookie(reply);
    return reply.redirect('/login', 303);
  });
}

/** Opens a session, always a new one; or says why not, the same for a wrong password and an unknown account. */
async function trySigningIn(
  { context, visitors }: AdminServer,
  request: FastifyRequest,
  { email, password, user_type }: Static<typeof SignInForm>,
  reply: FastifyReply,
): Promise<string | undefined> {
  const { db, config, now = () => new Date() } = context;
  try {
    const { user, twoFactorMethod } = await checkPassword(
      context,
      { email_address: email, user_type, password },
      { ip: request.ip, user_agent: request.headers['user-agent'] ?? '' },
    );
    if (twoFactorMethod !== null) return NEEDS_CODE;
    const before = request.cookies[SESSION_COOKIE];
    if (before !== undefined) await closeSession(db, before);
    visitors.setCookie(reply, await openSession(db, user, now()));
    reply.setCookie(PREFERENCE_COOKIES.userType, user_type, {
      path: '/login',
      httpOnly: true,
      sameSite: 'lax',
      secure: config.production,
      maxAge: PREFERENCE_SECONDS,
    });
    return undefined;
  } catch (error) {
    if (error instanceof UnauthenticatedError) return error.message;
    throw error;
  }
}
