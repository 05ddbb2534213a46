import type { Html } from '@case-platform/lib/html';
import { confirmIdentity, confirmSession, findProvingMethod, type IdentityProof } from '@case-platform/modules/accounts';
import { USER_TYPES } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm, type RefusedForm } from '../form/answer-form.ts';
import { readCode } from '../form/read-code.ts';
import { CodeText, Next } from '../form/schemas.ts';
import { safeNext } from '../guards/safe-next.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { confirmIdentityPage } from './confirm-identity-page.ts';
import { asWrongField } from './wrong-proof.ts';

const PAGE = '/account/confirm';
const ProofForm = Type.Object({
  next: Next,
  password: Type.Optional(Type.String({ maxLength: 4000 })),
  code: Type.Optional(CodeText),
});

/**
 * Asks somebody who is signed in to prove again who they are, before a change of what protects the account (IDENTITY-5).
 * For every type of user: the account is their own.
 */
export function confirmIdentityRoutes({ app, context, guards, visitors }: AdminServer): void {
  const { db, now = () => new Date() } = context;
  const guard = guards.pageGuard({ user_types: USER_TYPES });
  const config = { guard };

  app.get(PAGE, { config, schema: { querystring: Type.Object({ next: Next }) } }, async (request, reply) => {
    const next = safeNext(request.query.next);
    return sendPage(reply, await readConfirmPage(request, next));
  });

  app.post(PAGE, { config, schema: { body: ProofForm } }, (request, reply) => {
    const { user, session } = guard.actor(request);
    const next = safeNext(request.body.next);
    const field = request.body.code === undefined ? 'password' : 'code';
    return answerForm(request, reply, {
      run: async () => {
        const proof = readProof(request.body);
        const when = { signedInAt: session.signed_in_at, provenAt: null };
        await asWrongField(field, () => confirmIdentity(context, user, proof, when, now()));
        await confirmSession(db, visitors.sessionId(request), now());
        return next;
      },
      again: (refused) => readConfirmPage(request, next, refused),
      names: { backup_code: 'code' },
    });
  });

  async function readConfirmPage(request: FastifyRequest, next: string, refused?: RefusedForm): Promise<Html> {
    const actor = guard.actor(request);
    const [frame, method] = await Promise.all([
      readFrame(context, request, actor),
      findProvingMethod(db, actor.user, actor.session.signed_in_at),
    ]);
    return confirmIdentityPage(frame, { next, method, refused });
  }
}

function readProof({ password = '', code }: Static<typeof ProofForm>): IdentityProof {
  return code === undefined ? { pass_hash: password } : readCode(code, 'app');
}
