import {
  confirmIdentity,
  confirmSession,
  findTwoFactorMethod,
  type IdentityProof,
} from '@case-platform/modules/accounts';
import { USER_TYPES } from '@case-platform/words/user-types';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { readCode } from '../form/read-code.ts';
import { markRefused, refusalWhileSignedIn } from '../form/refusal.ts';
import { CodeText, Next } from '../form/schemas.ts';
import { safeNext } from '../guards/safe-next.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { confirmIdentityPage } from './confirm-identity-page.ts';

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
