import {
  confirmIdentity,
  confirmSession,
  findTwoFactorMethod,
  type IdentityProof,
  USER_TYPES,
} from '@case-platform/modules/accounts';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { readFrame } from '../frame.ts';
import { readCode } from '../read-code.ts';
import { markRefused, refusalWhileSignedIn } from '../refusal.ts';
import { safeNext } from '../safe-next.ts';
import { CodeText, Next } from '../schemas.ts';
import { sendPage } from '../send-page.ts';
import { confirmIdentityPage } from '../views/confirm-identity-page.ts';

const PAGE = '/account/confirm';
const ProofForm = Type.Object({
  next: Next,
  password: Type.Optional(Type.String({ maxLength: 4000 })),
  code: Type.Optional(CodeText),
});

/**
 * Asks somebody who is signed in to prove again who they are, before a change of what protects the account (decisions,
 * section 11). For every type of user: the account is their own.
 */
export function confirmIdentityRoutes({ app, context, guards, visitors }: AdminServer): void {
  const { db, now = () => new Date() } = context;
  const guard = guards.pageGuard({ user_types: USER_TYPES });
  const config = { guard };

  app.get(PAGE, { config, schema: { querystring: Type.Object({ next: Next }) } }, async (request, reply) => {
    const actor = guard.actor(request);
    const [frame, method] = await Promise.all([
      readFrame(context, request, actor),
      findTwoFactorMethod(db, actor.user),
    ]);
    return sendPage(reply, confirmIdentityPage(frame, { next: safeNext(request.query.next), method }));
  });

  app.post(PAGE, { config, schema: { body: ProofForm } }, async (request, reply) => {
    const actor = guard.actor(request);
    const next = safeNext(request.body.next);
    try {
      await confirmIdentity(context, actor.user, readProof(request.body), { provenAt: null, now: now() });
      await confirmSession(db, visitors.sessionId(request), now());
      return reply.redirect(next, 303);
    } catch (error) {
      const refusal = refusalWhileSignedIn(error);
      const [frame, method] = await Promise.all([
        readFrame(context, request, actor),
        findTwoFactorMethod(db, actor.user),
      ]);
      const page = confirmIdentityPage(frame, { next, method, problem: refusal.words });
      return sendPage(markRefused(reply, refusal), page);
    }
  });
}

function readProof({ password = '', code }: Static<typeof ProofForm>): IdentityProof {
  return code === undefined ? { pass_hash: password } : readCode(code, 'app');
}
