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
import { answerForm } from '../form/answer-form.ts';
import { Id } from '../form/schemas.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readBatchPage } from './read-batch-page.ts';

const params = Type.Object({ batch_id: Id });
const Reason = Type.String({ maxLength: 1000, default: '' });
const RemoveForm = Type.Object({ disbursement_id: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }) });
const CancelForm = Type.Object({ reason: Reason });
/** The SHA-256 of the file, or of the list of payments, that was seen (BATCH-4). */
const Seen = Type.Object({ sha256: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }) });
const SettleForm = Type.Object({
  ...Seen.properties,
  before_bank_date: Type.Unsafe<'yes' | ''>({ type: 'string', enum: ['yes', ''], default: '' }),
  reason: Reason,
});
const OutcomeForm = Type.Object({
  ...Seen.properties,
  outcome: Type.Unsafe<'accepted' | 'refused'>({ type: 'string', enum: ['accepted', 'refused'] }),
  note: Reason,
});

/** Every step in the life of a batch, each with the permission that it takes. The module keeps them to different people. */
export function batchChangeRoutes(server: AdminServer): void {
  gatheringRoutes(server);
  fileRoutes(server);
}

/** Before there is a file: approving the list, removing from it, canceling the batch. */
function gatheringRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const approving = guards.apiGuard({ user_types: ['admin'], perm_check: 'approve_nacha' });
  const creating = guards.apiGuard({ user_types: ['admin'], perm_check: 'create_nacha' });
  const stopping = guards.apiGuard({ user_types: ['admin'], perm_check: ['create_nacha', 'approve_nacha'] });

  app.post(
    '/batches/:batch_id/approve',
    { config: { guard: approving }, schema: { params, body: Seen } },
    (request, reply) => {
      const step = { request, reply, actor: approving.actor(request), ...request.params, done: 'approved' };
      return answerStep(server, step, (id, by) => approveBatch(db, id, request.body.sha256, { by, now: now() }));
    },
  );

  app.post(
    '/batches/:batch_id/remove',
    { config: { guard: creating }, schema: { params, body: RemoveForm } },
    (request, reply) => {
      const step = { request, reply, actor: creating.actor(request), ...request.params, done: 'removed' };
      return answerStep(server, step, (id, by) => removeFromBatch(db, id, Number(request.body.disbursement_id), by));
    },
  );

  app.post(
    '/batches/:batch_id/cancel',
    { config: { guard: stopping }, schema: { params, body: CancelForm } },
    (request, reply) => {
      const step = { request, reply, actor: stopping.actor(request), ...request.params, done: 'cancelled' };
      return answerStep(server, step, (id, by) => cancelBatch(db, id, request.body.reason, { by, now: now() }));
    },
  );
}

/** The file: making, signing and downloading it, then recording what the bank said. */
function fileRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const creating = guards.apiGuard({ user_types: ['admin'], perm_check: 'create_nacha' });
  const signing = guards.apiGuard({ user_types: ['admin'], perm_check: BATCH_WORKERS });
  const paying = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });

  app.post(
    '/batches/:batch_id/generate',
    { config: { guard: creating }, schema: { params, body: Seen } },
    (request, reply) => {
      const step = { request, reply, actor: creating.actor(request), ...request.params, done: 'generated' };
      return answerStep(server, step, (id, by) => generateFile(context, id, request.body.sha256, { by, now: now() }));
    },
  );

  app.post(
    '/batches/:batch_id/sign',
    { config: { guard: signing }, schema: { params, body: Seen } },
    (request, reply) => {
      const step = { request, reply, actor: signing.actor(request), ...request.params, done: 'signed' };
      return answerStep(server, step, (id, by) => signFile(db, id, request.body.sha256, { by, now: now() }));
    },
  );

  app.post(
    '/batches/:batch_id/hand-out',
    { config: { guard: paying }, schema: { params, body: Seen } },
    (request, reply) => {
      const step = { request, reply, actor: paying.actor(request), ...request.params, done: 'handed-out' };
      return answerStep(server, step, (id, by) => handOutFile(db, id, request.body.sha256, { by, now: now() }));
    },
  );

  app.post(
    '/batches/:batch_id/outcome',
    { config: { guard: paying }, schema: { params, body: OutcomeForm } },
    (request, reply) => {
      const step = { request, reply, actor: paying.actor(request), ...request.params, done: 'confirmed' };
      return answerStep(server, step, (id, by) => confirmOutcome(db, id, request.body, { by, now: now() }));
    },
  );

  app.post(
    '/batches/:batch_id/settle',
    { config: { guard: paying }, schema: { params, body: SettleForm } },
    (request, reply) => {
      const step = { request, reply, actor: paying.actor(request), ...request.params, done: 'settled' };
      const { sha256, before_bank_date, reason } = request.body;
      const early = before_bank_date === 'yes' ? { reason } : null;
      return answerStep(server, step, (id, by) => settleBatch(db, id, { sha256, early }, { by, now: now() }));
    },
  );
}

interface Step {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  batch_id: number;
  done: string;
}

/** All of these forms stand on the batch's page, and lead back to it. */
function answerStep(
  server: AdminServer,
  { request, reply, actor, batch_id, done }: Step,
  move: (batchId: number, by: ChangedBy) => Promise<void>,
): Promise<FastifyReply> {
  return answerForm(request, reply, {
    run: async () => {
      await move(batch_id, changedBy(request, actor));
      return `/batches/${batch_id}?done=${done}`;
    },
    again: (refused) => readBatchPage(server, request, actor, { batch_id, refused }),
  });
}
