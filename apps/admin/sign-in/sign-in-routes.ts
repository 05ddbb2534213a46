import { publicRoute } from '@case-platform/lib/guards';
import type { Html } from '@case-platform/lib/html';
import { authenticate, closeSession, openChallenge } from '@case-platform/modules/accounts';
import { DEMO_PEOPLE } from '@case-platform/words/sign-in/demo-people';
import { USER_TYPES, type UserType } from '@case-platform/words/user-types';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Next } from '../form/schemas.ts';
import { createOpenForms } from '../guards/open-forms.ts';
import { requireOwnPage } from '../guards/own-requests.ts';
import { codePath, safeNext } from '../guards/safe-next.ts';
import { readPreferences } from '../page/preferences.ts';
import { sendPage } from '../page/send-page.ts';
import { beginSession, originOf } from './begin-session.ts';
import { createChallengeCookie } from './challenge-cookie.ts';
import { signInPage } from './sign-in-page.ts';

const SignInForm = Type.Object({
  email: Type.String({ maxLength: 1000 }),
  password: Type.String({ maxLength: 4000 }),
  user_type: Type.Unsafe<UserType>({ type: 'string', enum: [...USER_TYPES], default: 'admin' }),
  next: Next,
});

/** Words for someone who was sent back to the sign-in page. */
const REASONS = new Map([['code', 'That code has expired. Sign in again to get a new one.']]);

/** Signs people in with their password, and out (SIGN-IN-9, SESSION-3). */
export function signInRoutes(server: AdminServer): void {
  const { app, context, guards, visitors } = server;
  const { db, config } = context;
  const forms = createOpenForms(config);

  app.get(
    '/login',
    {
      config: { guard: publicRoute('the sign-in page') },
      schema: { querystring: Type.Object({ next: Next, again: Type.Optional(Type.String({ maxLength: 20 })) }) },
    },
    async (request, reply) => {
      const next = safeNext(request.query.next);
      if ((await visitors.find(request)) !== null) return reply.redirect(next);
      const { userType } = readPreferences(request);
      const reason = REASONS.get(request.query.again ?? '');
      return sendPage(reply, pageFor(request, reply, { next, userType, reason }));
    },
  );

  const page: FormPage<unknown, Static<typeof SignInForm>, null> = {
    path: () => '/login',
    readRefused: ({ request, reply, body: { next, email, user_type: userType } }, refused) =>
      pageFor(request, reply, { next: safeNext(next), userType, email, refused }),
  };
  formRoute(server, page, '/login', {
    guard: publicRoute('signing in'),
    mails: { two_factor_code: 'sign-in-code' },
    body: SignInForm,
    run: async ({ request, reply, body }) => {
      requireOwnPage(request, config.adminUrl);
      forms.requireToken(request);
      return signIn(server, request, reply, { ...body, next: safeNext(body.next) });
    },
    next: (path) => path,
  });

  app.post('/logout', { config: { guard: guards.pageGuard({ user_types: USER_TYPES }) } }, async (request, reply) => {
    await closeSession(db, visitors.sessionId(request));
    visitors.clearCookie(reply);
    return reply.redirect('/login', 303);
  });

  function pageFor(
    request: FastifyRequest,
    reply: FastifyReply,
    form: { next: string; userType: UserType; email?: string; reason?: string | undefined; refused?: RefusedForm },
  ): Html {
    return signInPage({
      ...form,
      preferences: readPreferences(request),
      csrfToken: forms.token(request, reply),
      idleMinutes: Math.round(config.sessionIdleTtl / 60),
      webUrl: config.webUrl,
      demoPeople: config.offersDemoPeople ? DEMO_PEOPLE.filter(({ user_type }) => user_type === 'admin') : [],
    });
  }
}

/**
 * Checks the password. Then a session, or for an account that asks for a code a challenge and nothing else.
 * @returns where to go from here.
 */
async function signIn(
  server: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, password, user_type, next }: Static<typeof SignInForm> & { next: string },
): Promise<string> {
  const { context } = server;
  const { config, now } = context;
  const credentials = { email_address: email, user_type, password };
  const { user, twoFactorMethod: method } = await authenticate(context, credentials, originOf(request), now());
  if (method === null) {
    await beginSession(server, request, reply, user);
    return next;
  }
  const challenge = await openChallenge(context, user, { purpose: 'admin_login', method }, now());
  createChallengeCookie(config).set(reply, challenge.id);
  return codePath(next);
}
