import { UnauthenticatedError } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
import type { Html } from '@case-platform/lib/html';
import {
  findActiveUserById,
  findPendingChallenge,
  type PendingChallenge,
  passChallenge,
  resendCode,
} from '@case-platform/modules/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm, type RefusedForm, sendRefused } from '../form/answer-form.ts';
import { readCode } from '../form/read-code.ts';
import { CodeText, Next } from '../form/schemas.ts';
import { refuseForeignPage } from '../guards/own-requests.ts';
import { codePath, safeNext } from '../guards/safe-next.ts';
import { readPreferences } from '../page/preferences.ts';
import { sendPage } from '../page/send-page.ts';
import { beginSession } from './begin-session.ts';
import { createChallengeCookie } from './challenge-cookie.ts';
import { createOpenForms, staleForm } from './open-forms.ts';
import { signInCodePage } from './sign-in-code-page.ts';

const PURPOSE = 'admin_login';

/** The step after the password, for accounts with two-factor (TWO-FACTOR-13). */
export function signInCodeRoutes(server: AdminServer): void {
  const { app, context } = server;
  const { db, config, now = () => new Date() } = context;
  const guard = publicRoute('the code step of signing in');
  const cookie = createChallengeCookie(config);
  const forms = createOpenForms(config);

  app.get(
    '/login/otp',
    {
      config: { guard },
      schema: { querystring: Type.Object({ next: Next, sent: Type.Optional(Type.String({ maxLength: 20 })) }) },
    },
    async (request, reply) => {
      const next = safeNext(request.query.next);
      const pending = await findPending(request);
      if (pending === null) return backToSignIn(cookie, request, reply, next);
      const sentAgain = request.query.sent !== undefined;
      return sendPage(reply, pageFor(request, reply, { pending, next, sentAgain }));
    },
  );

  app.post('/login/otp', { config: { guard }, schema: { body: Type.Object({ code: CodeText, next: Next }) } }, (request, reply) =>
    answerCodeForm(request, reply, request.body.next, async ({ id, pending, next }) => {
      const answer = readCode(request.body.code, pending.method);
      const { user_id } = await passChallenge(context, { id, purpose: PURPOSE, answer }, now());
      const user = await findActiveUserById(db, user_id);
      if (user === null) return backToSignIn(cookie, request, reply, next);
      await beginSession(server, request, reply, user);
      return next;
    }),
  );

  app.post('/login/otp/resend', { config: { guard }, schema: { body: Type.Object({ next: Next }) } }, (request, reply) =>
    answerCodeForm(request, reply, request.body.next, async ({ id, next }) => {
      await resendCode(context, { id, purpose: PURPOSE }, now());
      return codePath(next, { sent: 'again' });
    }),
  );

  /** Both forms need a challenge that is still open; without one, the password comes first. */
  async function answerCodeForm(
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: string | undefined,
    run: (challenge: { id: string; pending: PendingChallenge; next: string }) => Promise<string | FastifyReply>,
  ): Promise<FastifyReply> {
    refuseForeignPage(request, config.adminUrl);
    const next = safeNext(wanted);
    const id = cookie.read(request);
    const pending = await findPending(request);
    if (id === undefined || pending === null) return backToSignIn(cookie, request, reply, next);
    if (!forms.isOurs(request)) {
      const stale = staleForm(request);
      return sendRefused(reply, stale, pageFor(request, reply, { pending, next, refused: stale }));
    }
    return answerForm(request, reply, {
      run: () =>
        run({ id, pending, next }).catch(async (error) => {
          const isOver = error instanceof UnauthenticatedError && (await findPending(request)) === null;
          if (!isOver) throw error;
          return backToSignIn(cookie, request, reply, next);
        }),
      again: async (refused) => {
        const errors = refused.status === 401 ? { code: refused.words } : refused.errors;
        return pageFor(request, reply, { pending, next, refused: { ...refused, errors } });
      },
    });
  }

  async function findPending(request: FastifyRequest): Promise<PendingChallenge | null> {
    const id = cookie.read(request);
    return id === undefined ? null : findPendingChallenge(db, { id, purpose: PURPOSE }, now());
  }

  function pageFor(
    request: FastifyRequest,
    reply: FastifyReply,
    form: { pending: PendingChallenge; next: string; sentAgain?: boolean; refused?: RefusedForm },
  ): Html {
    const csrfToken = forms.token(request, reply);
    return signInCodePage({ ...form, preferences: readPreferences(request), csrfToken });
  }
}

type ChallengeCookie = ReturnType<typeof createChallengeCookie>;

/** The challenge is over, or there never was one: the password comes first. */
function backToSignIn(cookie: ChallengeCookie, request: FastifyRequest, reply: FastifyReply, next: string): FastifyReply {
  const again = cookie.read(request) === undefined ? {} : { again: 'code' };
  cookie.clear(reply);
  const query = new URLSearchParams({ ...again, ...(next === '/' ? {} : { next }) });
  return reply.redirect(query.size === 0 ? '/login' : `/login?${query}`, request.method === 'GET' ? 302 : 303);
}
