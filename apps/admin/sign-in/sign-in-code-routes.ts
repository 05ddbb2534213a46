import { UnauthenticatedError } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
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
import { readCode } from '../form/read-code.ts';
import { markRefused, type Refusal, refusalOf } from '../form/refusal.ts';
import { CodeText, Next } from '../form/schemas.ts';
import { refuseForeignPage } from '../guards/own-requests.ts';
import { codePath, safeNext } from '../guards/safe-next.ts';
import { readPreferences } from '../page/preferences.ts';
import { sendPage } from '../page/send-page.ts';
import { beginSession } from './begin-session.ts';
import { createChallengeCookie } from './challenge-cookie.ts';
import { createOpenForms, STALE_FORM } from './open-forms.ts';
import { signInCodePage } from './sign-in-code-page.ts';

const PURPOSE = 'admin_login';

/** The step after the password, for accounts with two-factor ('States and transitions': awaiting one-time code). */
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
      if (pending === null) return backToSignIn(request, reply, next);
      return drawForm(request, reply, { pending, next, sentAgain: request.query.sent !== undefined });
    },
  );

  app.post(
    '/login/otp',
    { config: { guard }, schema: { body: Type.Object({ code: CodeText, next: Next }) } },
    (request, reply) =>
      step(request, reply, request.body.next, async ({ id, pending, next }) => {
        const answer = readCode(request.body.code, pending.method);
        const { user_id } = await passChallenge(context, { id, purpose: PURPOSE, answer, now: now() });
        const user = await findActiveUserById(db, user_id);
        if (user === null) return backToSignIn(request, reply, next);
        await beginSession(server, request, reply, user);
        return reply.redirect(next, 303);
      }),
  );

  app.post(
    '/login/otp/resend',
    { config: { guard }, schema: { body: Type.Object({ next: Next }) } },
    (request, reply) =>
      step(request, reply, request.body.next, async ({ id, next }) => {
        await resendCode(context, { id, purpose: PURPOSE, now: now() });
        return reply.redirect(codePath(next, { sent: 'again' }), 303);
      }),
  );

  /** What both forms of the page have in common: whose challenge it is, and the page again when it is refused. */
  async function step(
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: string | undefined,
    act: (found: { id: string; pending: PendingChallenge; next: string }) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    refuseForeignPage(request, config.adminUrl);
    const next = safeNext(wanted);
    const id = cookie.read(request);
    const pending = await findPending(request);
    if (id === undefined || pending === null) return backToSignIn(request, reply, next);
    if (!forms.isOurs(request)) return drawForm(request, reply, { pending, next, refusal: STALE });
    try {
      return await act({ id, pending, next });
    } catch (error) {
      const refusal = refusalOf(error);
      const isOver = error instanceof UnauthenticatedError && (await findPending(request)) === null;
      return isOver ? backToSignIn(request, reply, next) : drawForm(request, reply, { pending, next, refusal });
    }
  }

  async function findPending(request: FastifyRequest): Promise<PendingChallenge | null> {
    const id = cookie.read(request);
    return id === undefined ? null : findPendingChallenge(db, { id, purpose: PURPOSE, now: now() });
  }

  /** The challenge is over, or there never was one: the password comes first. */
  function backToSignIn(request: FastifyRequest, reply: FastifyReply, next: string): FastifyReply {
    const again = cookie.read(request) === undefined ? {} : { again: 'code' };
    cookie.clear(reply);
    const query = new URLSearchParams({ ...again, ...(next === '/' ? {} : { next }) });
    return reply.redirect(query.size === 0 ? '/login' : `/login?${query}`, request.method === 'GET' ? 302 : 303);
  }

  function drawForm(request: FastifyRequest, reply: FastifyReply, form: DrawnForm): FastifyReply {
    const { refusal, ...rest } = form;
    if (refusal !== undefined) markRefused(reply, refusal);
    const csrfToken = forms.token(request, reply);
    const preferences = readPreferences(request);
    return sendPage(reply, signInCodePage({ ...rest, preferences, csrfToken, problem: refusal?.words }));
  }
}

const STALE: Refusal = { status: 403, words: STALE_FORM };

interface DrawnForm {
  pending: PendingChallenge;
  next: string;
  sentAgain?: boolean;
  refusal?: Refusal;
}
