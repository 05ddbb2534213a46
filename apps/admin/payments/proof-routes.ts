import { NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { listProofs, PROOF_WITHDRAWERS, withdrawProof } from '@case-platform/modules/banking';
import { findCaseOutline } from '@case-platform/modules/cases';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Done, Id } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { proofListPage } from './proof-list.ts';

const params = Type.Object({ case_id: Id });
const DONE = new Map([['withdrawn', 'Withdrawn. Its page says so from now on.']]);

/** The proofs of funds of a case, which staff can withdraw (PROOF-4). */
export function proofRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const reading = guards.pageGuard({
    user_types: ['admin'],
    perm_check: ['view_case_details', 'view_drs', 'make_payments'],
    case_id: 'case_id',
    closed: 'proofs',
  });
  const withdrawing = guards.apiGuard({ user_types: ['admin'], perm_check: PROOF_WITHDRAWERS, case_id: 'case_id' });

  app.get(
    '/cases/:case_id/proofs',
    { config: { guard: reading }, schema: { params, querystring: Type.Object({ done: Done }) } },
    async (request, reply) => {
      const shown = { ...request.params, ...request.query };
      return sendPage(reply, await readPage(request, reading.actor(request), shown));
    },
  );

  const page: FormPage<Static<typeof params>> = {
    path: ({ case_id }) => `/cases/${case_id}/proofs`,
    readRefused: ({ request, actor, params: { case_id } }, refused) => readPage(request, actor, { case_id, refused }),
  };
  formRoute(server, page, '/cases/:case_id/proofs/:proof_id/withdraw', {
    guard: withdrawing,
    params: Type.Object({ case_id: Id, proof_id: Id }),
    done: 'withdrawn',
    run: ({ params: { case_id: caseId, proof_id: id }, by }) => withdrawProof(context, { caseId, id }, by),
  });

  async function readPage(
    request: FastifyRequest,
    actor: StaffActor,
    { case_id, done, refused }: { case_id: number; done?: string | undefined; refused?: RefusedForm },
  ): Promise<Html> {
    const [outline, proofs, frame] = await Promise.all([
      findCaseOutline(context.db, case_id),
      listProofs(context, actor.user, case_id, context.now()),
      readFrame(context, request, actor),
    ]);
    if (outline === null) throw new NotFoundError();
    return proofListPage(frame, { outline, proofs, done: DONE.get(done ?? ''), refused });
  }
}
