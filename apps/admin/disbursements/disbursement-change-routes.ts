import type { ChangedByUser } from '@case-platform/modules/cases';
import {
  approveDisbursement,
  cancelDisbursement,
  denyDisbursement,
  retryDisbursement,
  submitDisbursement,
} from '@case-platform/modules/disbursements';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { Id } from '../form/schemas.ts';
import { changedByStaff } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { caseOfDisbursement } from './case-of-disbursement.ts';
import { readDisbursementPage } from './read-disbursement-page.ts';

const params = Type.Object({ disbursement_id: Id });
/** A decision names the version that was seen (REQUEST-9). */
const SeenForm = Type.Object({ version: Type.String({ minLength: 1, maxLength: 200 }) });
/** Over what the contract allows, an approval says why, and how far over it was seen to go. */
const ApproveForm = Type.Object({
  ...SeenForm.properties,
  over_by_cents: Type.Optional(Type.String({ pattern: '^[0-9]{1,10}$' })),
  reason: Type.String({ maxLength: 8000, default: '' }),
});
const ReasonForm = Type.Object({ ...SeenForm.properties, reason: Type.String({ maxLength: 8000, default: '' }) });

/** The steps from one state of a disbursement to the next, for staff with access to its case (REQUEST-1). */
export function disbursementChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const case_id = caseOfDisbursement(context);
  const deciding = guards.apiGuard({ user_types: ['admin'], perm_check: 'approve_drs', case_id });
  const writing = guards.apiGuard({ user_types: ['admin'], perm_check: ['create_drs', 'edit_drs'], case_id });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_drs', case_id });
  const module = { db, now };

  app.post(
    '/disbursements/:disbursement_id/submit',
    { config: { guard: writing }, schema: { params } },
    (request, reply) => {
      const step = { request, reply, actor: writing.actor(request), ...request.params, done: 'submit' };
      return answerStep(server, step, (id, by) => submitDisbursement(module, id, by));
    },
  );

  app.post(
    '/disbursements/:disbursement_id/cancel',
    { config: { guard: writing }, schema: { params } },
    (request, reply) => {
      const step = { request, reply, actor: writing.actor(request), ...request.params, done: 'cancel' };
      return answerStep(server, step, (id, by) => cancelDisbursement(module, id, by));
    },
  );

  app.post(
    '/disbursements/:disbursement_id/approve',
    { config: { guard: deciding }, schema: { params, body: ApproveForm } },
    (request, reply) => {
      const step = { request, reply, actor: deciding.actor(request), ...request.params, done: 'approve' };
      const { over_by_cents: seen, ...approval } = request.body;
      const over_by_cents = seen === undefined ? undefined : Number(seen);
      return answerStep(server, step, (id, by) => approveDisbursement(module, id, { ...approval, over_by_cents }, by));
    },
  );

  app.post(
    '/disbursements/:disbursement_id/deny',
    { config: { guard: deciding }, schema: { params, body: ReasonForm } },
    (request, reply) => {
      const step = { request, reply, actor: deciding.actor(request), ...request.params, done: 'deny' };
      return answerStep(server, step, (id, by) => denyDisbursement(module, id, request.body, by));
    },
  );

  app.post(
    '/disbursements/:disbursement_id/retry',
    { config: { guard: editing }, schema: { params, body: ReasonForm } },
    (request, reply) => {
      const step = { request, reply, actor: editing.actor(request), ...request.params, done: 'retry' };
      return answerStep(server, step, (id, by) => retryDisbursement(module, id, request.body, by));
    },
  );
}

interface Step {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  disbursement_id: number;
  done: string;
}

/** All of these forms stand on the disbursement's page, and lead back to it. */
function answerStep(
  server: AdminServer,
  { request, reply, actor, disbursement_id, done }: Step,
  move: (id: number, by: ChangedByUser) => Promise<void>,
): Promise<FastifyReply> {
  return answerForm(request, reply, {
    run: async () => {
      await move(disbursement_id, changedByStaff(request, actor));
      return `/disbursements/${disbursement_id}?done=${done}`;
    },
    again: (refused) => readDisbursementPage(server, request, actor, { disbursement_id, refused }),
  });
}
