import type { ChangedBy } from '@case-platform/lib/audit';
import {
  approveBatch,
  cancelBatch,
  confirmOutcome,
  generateFile,
  handOutFile,
  removeFromBatch,
  settleBatch,
  signFile,
} from '@case-platform/modules/banking';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { sendPage } from '../page/send-page.ts';
import { BATCH_WORKERS } from './batch-words.ts';
import { drawBatch } from './draw-batch.ts';

const params = Type.Object({ batch_id: Id });
const Reason = Type.String({ maxLength: 1000, default: '' });
const RemoveForm = Type.Object({ disbursement_id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }) });
const CancelForm = Type.Object({ reason: Reason });
/** The file, or the list of payments, that was seen (decisions, section 11). */
const Seen = Type.Object({ sha256: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }) });
const OutcomeForm = Type.Object({
  ...Seen.properties,
  outcome: Type.Unsafe<'accepted' | 'refused'>({ type: 'string', enum: ['accepted', 'refused'] }),
  note: Reason,
});

/** Every step of a batch's life: each with the permission that it takes, and kept apart by person in the module. */
export function batchChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const creating = guards.apiGuard({ user_types: ['admin'], perm_check: 'create_nacha' });
  const approving = guards.apiGuard({ user_types: ['admin'], perm_check: 'approve_nacha' });
  const paying = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });
  const stopping = guards.apiGuard({ user_types: ['admin'], perm_check: ['create_nacha', 'approve_nacha'] });
  const signing = guards.apiGuard({ user_types: ['admin'], perm_check: BATCH_WORKERS });

  app.post(
    '/batches/:batch_id/approve',
    { config: { guard: approving }, schema: { params, body: Seen } },
    (request, reply) =>
      take(server, { request, reply, actor: approving.actor(request), ...request.params, done: 'approved' }, (id, by) =>
        approveBatch(db, id, request.body.sha256, by),
      ),
  );

  app.post(
    '/batches/:batch_id/remove',
    { config: { guard: creating }, schema: { params, body: RemoveForm } },
    (request, reply) =>
      take(server, { request, reply, actor: creating.actor(request), ...request.params, done: 'removed' }, (id, by) =>
        removeFromBatch(db, id, Number(request.body.disbursement_id), by),
      ),
  );

  app.post(
    '/batches/:batch_id/cancel',
    { config: { guard: stopping }, schema: { params, body: CancelForm } },
    (request, reply) =>
      take(server, { request, reply, actor: stopping.actor(request), ...request.params, done: 'cancelled' }, (id, by) =>
        cancelBatch(db, id, request.body.reason, { by, now: now() }),
      ),
  );

  app.post(
    '/batches/:batch_id/generate',
    { config: { guard: creating }, schema: { params, body: Seen } },
    (request, reply) =>
      take(server, { request, reply, actor: creating.actor(request), ...request.params, done: 'generated' }, (id, by) =>
        generateFile(context, id, request.body.sha256, { by, now: now() }),
      ),
  );

  app.post(
    '/batches/:batch_id/sign',
    { config: { guard: signing }, schema: { params, body: Seen } },
    (request, reply) =>
      take(server, { request, reply, actor: signing.actor(request), ...request.params, done: 'signed' }, (id, by) =>
        signFile(db, id, request.body.sha256, by),
      ),
  );

  app.post(
    '/batches/:batch_id/hand-out',
    { config: { guard: paying }, schema: { params, body: Seen } },
    (request, reply) =>
      take(server, { request, reply, actor: paying.actor(request), ...request.params, done: 'handed-out' }, (id, by) =>
        handOutFile(db, id, request.body.sha256, { by, now: now() }),
      ),
  );

  app.post(
    '/batches/:batch_id/outcome',
    { config: { guard: paying }, schema: { params, body: OutcomeForm } },
    (request, reply) =>
      take(server, { request, reply, actor: paying.actor(request), ...request.params, done: 'confirmed' }, (id, by) =>
        confirmOutcome(db, id, request.body, by),
      ),
  );

  app.post(
    '/batches/:batch_id/settle',
    { config: { guard: paying }, schema: { params, body: Seen } },
    (request, reply) =>
      take(server, { request, reply, actor: paying.actor(request), ...request.params, done: 'settled' }, (id, by) =>
        settleBatch(db, id, request.body.sha256, { by, now: now() }),
      ),
  );
}

interface Step {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  batch_id: number;
  /** The word for what was done, in the address of the page that follows. */
  done: string;
}

/** Takes a step; what refuses it stands over the batch's page. */
async function take(
  server: AdminServer,
  { request, reply, actor, batch_id, done }: Step,
  work: (batchId: number, by: ChangedBy) => Promise<void>,
): Promise<FastifyReply> {
  try {
    await work(batch_id, changedBy(request, actor));
    return reply.redirect(`/batches/${batch_id}?done=${done}`, 303);
  } catch (error) {
    const refusal = refusalOf(error);
    const page = await drawBatch(server, request, actor, { batch_id, problem: refusal.words });
    return sendPage(markRefused(reply, refusal), page);
  }
}
