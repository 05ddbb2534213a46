import type { Html } from '@case-platform/lib/html';
import { confirmIdentity, confirmSession, findProvingMethod, type IdentityProof } from '@case-platform/modules/accounts';
import { USER_TYPES } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { parseCode } from '../form/parse-code.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { CodeText, Next } from '../form/schemas.ts';
import { safeNext } from '../guards/safe-next.ts';
import type { Actor } from '../guards/visitors.ts';
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

/** Confirms the identity of someone who is signed in, before they change what protects an account (IDENTITY-5). */
export function confirmIdentityRoutes(server: AdminServer): void {
  const { app, context, guards, visitors } = server;
  const { db, now } = context;
  const guard = guards.pageGuard({ user_types: USER_TYPES });

  app.get(PAGE, { config: { guard }, schema: { querystring: Type.Object({ next: Next }) } }, async (request, reply) => {
    const next = safeNext(request.query.next);
    return sendPage(reply, await readConfirmPage(request, next));
  });

  const page: FormPage<unknown, Static<typeof ProofForm>, Actor> = {
    path: () => PAGE,
    readRefused: ({ request, body }, refused) => readConfirmPage(request, safeNext(body.next), refused),
    names: { backup_code: 'code' },
  };
  formRoute(server, page, PAGE, {
    guard,
    body: ProofForm,
    run: async ({ request, actor: { user, session }, body }) => {
      const proof = parseProof(body);
      const when = { signedInAt: session.signed_in_at, provenAt: null };
      await asWrongField(body.code === undefined ? 'password' : 'code', () => confirmIdentity(context, user, proof, when, now()));
      await confirmSession(db, visitors.sessionId(request), now());
    },
    next: (_, { body }) => safeNext(body.next),
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

function parseProof({ password = '', code }: Static<typeof ProofForm>): IdentityProof {
  return code === undefined ? { pass_hash: password } : parseCode(code, 'app');
}
