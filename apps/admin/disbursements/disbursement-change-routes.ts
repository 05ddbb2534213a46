import type { ChangedByUser } from '@case-platform/modules/cases';
import {
  approveDisbursement,
  cancelDisbursement,
  denyDisbursement,
  findDisbursementCase,
  submitDisbursement,
} from '@case-platform/modules/disbursements';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { changedByStaff } from '../guards/changed-by-staff.ts';
import { idInParams } from '../guards/guards.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { sendPage } from '../page/send-page.ts';
import { drawDisbursement } from './draw-disbursement.ts';

const params = Type.Object({ disbursement_id: Id });
/** Whoever decides says what they have seen (decisions, section 11). */
const SeenForm = Type.Object({ version: Type.String({ minLength: 1, maxLength: 200 }) });
const DenyForm = Type.Object({ ...SeenForm.properties, reason: Type.String({ maxLength: 8000, default: '' }) });

/** What takes a request from one state to the next, by staff with access to its case (decisions, section 8). */
export function disbursementChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const case_id = async (request: FastifyRequest) => {
    const id = idInParams(request, 'disbursement_id');
    return id === null ? null : findDisbursementCase(db, id);
  };
  const deciding = guards.apiGuard({ user_types: ['admin'], perm_check: 'approve_drs', case_id });
  const writing = guards.apiGuard({ user_types: ['admin'], perm_check: ['create_drs', 'edit_drs'], case_id });
  const module = { db, now };

  const moves = [
    ['submit', writing, submitDisbursement],
    ['cancel', writing, cancelDisbursement],
  ] as const;
  for (const [name, guard, move] of moves) {
    app.post(`/disbursements/:disbursement_id/${name}`, { config: { guard }, schema: { params } }, (request, reply) =>
      take(server, { request, reply, actor: guard.actor(request), ...request.params, done: name }, (id, by) =>
        move(module, id, by),
      ),
    );
  }

  app.post(
    '/disbursements/:disbursement_id/approve',
    { config: { guard: deciding }, schema: { params, body: SeenForm } },
    (request, reply) =>
      take(server, { request, reply, actor: deciding.actor(request), ...request.params, done: 'approve' }, (id, by) =>
        approveDisbursement(module, id, request.body, by),
      ),
  );

  app.post(
    '/disbursements/:disbursement_id/deny',
    { config: { guard: deciding }, schema: { params, body: DenyForm } },
    (request, reply) =>
      take(server, { request, reply, actor: deciding.actor(request), ...request.params, done: 'deny' }, (id, by) =>
        denyDisbursement(module, id, request.body, by),
      ),
  );
}

interface Step {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  disbursement_id: number;
  /** The word for what was done, in the address of the page that follows. */
  done: string;
}

/** Takes a step; what refuses it stands over the request's page. */
async function take(
  server: AdminServer,
  { request, reply, actor, disbursement_id, done }: Step,
  work: (id: number, by: ChangedByUser) => Promise<void>,
): Promise<FastifyReply> {
  try {
    await work(disbursement_id, changedByStaff(request, actor));
    return reply.redirect(`/disbursements/${disbursement_id}?done=${done}`, 303);
  } catch (error) {
    const refusal = refusalOf(error);
    const page = await drawDisbursement(server, request, actor, { disbursement_id, problem: refusal.words });
    return sendPage(markRefused(reply, refusal), page);
  }
}
