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
import { type FormPage, formRoute, type SentForm } from '../form/form-route.ts';
import { parseCode } from '../form/parse-code.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { CodeText, Next } from '../form/schemas.ts';
import { createOpenForms } from '../guards/open-forms.ts';
import { requireOwnPage } from '../guards/own-requests.ts';
import { codePath, safeNext } from '../guards/safe-next.ts';
import { readPreferences } from '../page/preferences.ts';
import { sendPage } from '../page/send-page.ts';
import { beginSession } from './begin-session.ts';
import { createChallengeCookie } from './challenge-cookie.ts';
import { signInCodePage } from './sign-in-code-page.ts';

const PAGE = '/login/otp';
const PURPOSE = 'admin_login';

type CodeStepForm = SentForm<unknown, { next?: string }, null>;

/** The step after the password, for accounts with two-factor (TWO-FACTOR-13). */
export function signInCodeRoutes(server: AdminServer): void {
  const { app, context } = server;
  const { db, now } = context;
  const guard = publicRoute('the code step of signing in');
  const { findChallengeOf, findPending, backToSignIn, pageFor } = createCodeStep(server);
  const page: FormPage<unknown, { next?: string }, null> = {
    path: () => PAGE,
    readRefused: async ({ request, reply, body }, refused) => {
      const next = safeNext(body.next);
      const pending = await findPending(request);
      if (pending === null) return backToSignIn(request, reply, next);
      const errors = refused.status === 401 ? { code: refused.words } : refused.errors;
      return pageFor(request, reply, { pending, next, refused: { ...refused, errors } });
    },
  };

  const querystring = Type.Object({ next: Next, sent: Type.Optional(Type.String({ maxLength: 20 })) });
  app.get(PAGE, { config: { guard }, schema: { querystring } }, async (request, reply) => {
    const next = safeNext(request.query.next);
    const pending = await findPending(request);
    if (pending === null) return reply.redirect(backToSignIn(request, reply, next));
    const sentAgain = request.query.sent !== undefined;
    return sendPage(reply, pageFor(request, reply, { pending, next, sentAgain }));
  });

  formRoute(server, page, PAGE, {
    guard,
    body: Type.Object({ code: CodeText, next: Next }),
    run: async (form) => {
      const { request, reply, body } = form;
      const challenge = await findChallengeOf(form);
      if (challenge === null) return backToSignIn(request, reply, safeNext(body.next));
      const { id, method } = challenge;
      const { user_id } = await passChallenge(context, { id, purpose: PURPOSE, answer: parseCode(body.code, method) }, now());
      const user = await findActiveUserById(db, user_id);
      if (user === null) return backToSignIn(request, reply, safeNext(body.next));
      await beginSession(server, request, reply, user);
      return safeNext(body.next);
    },
    next: (path) => path,
  });

  formRoute(server, page, `${PAGE}/resend`, {
    guard,
    mails: { two_factor_code: 'sign-in-code' },
    body: Type.Object({ next: Next }),
    run: async (form) => {
      const { request, reply, body } = form;
      const challenge = await findChallengeOf(form);
      if (challenge === null) return backToSignIn(request, reply, safeNext(body.next));
      await resendCode(context, { id: challenge.id, purpose: PURPOSE }, now());
      return codePath(safeNext(body.next), { sent: 'again' });
    },
    next: (path) => path,
  });
}

/** The parts that the page of the code step and its two forms share. */
function createCodeStep({ context }: AdminServer) {
  const { db, config, now } = context;
  const cookie = createChallengeCookie(config);
  const forms = createOpenForms(config);

  async function findPending(request: FastifyRequest): Promise<(PendingChallenge & { id: string }) | null> {
    const id = cookie.read(request);
    const pending = id === undefined ? null : await findPendingChallenge(db, { id, purpose: PURPOSE }, now());
    return id === undefined || pending === null ? null : { ...pending, id };
  }

  return {
    findPending,
    /**
     * The open challenge that a form is about, or null if the person has to enter the password first.
     * Rejects a form that did not come from our page with 403.
     */
    async findChallengeOf({ request }: CodeStepForm) {
      requireOwnPage(request, config.adminUrl);
      const challenge = await findPending(request);
      if (challenge !== null) forms.requireToken(request);
      return challenge;
    },
    /** Forgets the challenge, and returns the address of the page that begins with the password again. */
    backToSignIn(request: FastifyRequest, reply: FastifyReply, next: string): string {
      const again = cookie.read(request) === undefined ? {} : { again: 'code' };
      cookie.clear(reply);
      const query = new URLSearchParams({ ...again, ...(next === '/' ? {} : { next }) });
      return query.size === 0 ? '/login' : `/login?${query}`;
    },
    pageFor(
      request: FastifyRequest,
      reply: FastifyReply,
      form: { pending: PendingChallenge; next: string; sentAgain?: boolean; refused?: RefusedForm },
    ): Html {
      const csrfToken = forms.token(request, reply);
      return signInCodePage({ ...form, preferences: readPreferences(request), csrfToken });
    },
  };
}
