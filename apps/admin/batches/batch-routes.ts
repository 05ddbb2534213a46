import {
  BATCH_STATUSES,
  type BatchStatus,
  downloadFile,
  findBankProfile,
  GATHER_MAX,
  gatherBatch,
  listBatches,
  listReadyRequests,
} from '@case-platform/modules/banking';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Cursor, Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { batchListPage } from './batch-list.ts';
import { BATCH_WORKERS } from './batch-words.ts';
import { drawBatch } from './draw-batch.ts';
import { newBatchPage } from './new-batch-page.ts';

const ListQuery = Type.Object({
  status: Type.Optional(Type.Unsafe<BatchStatus>({ type: 'string', enum: [...BATCH_STATUSES] })),
  cursor: Type.Optional(Cursor),
});
const IdText = Type.String({ pattern: '^[1-9][0-9]{0,14}$' });
const GatherForm = Type.Object({
  // A form that sends one of them sends no list.
  disbursement_ids: Type.Union([IdText, Type.Array(IdText, { maxItems: GATHER_MAX })], { default: [] }),
  same_day: Type.Optional(Type.Literal('yes')),
});
const DONE = new Map([
  ['created', 'The batch is made. Another admin approves it.'],
  ['approved', 'The batch is approved.'],
  ['removed', 'The request was taken out. It waits for another batch.'],
  ['cancelled', 'The batch is cancelled. Its requests wait for another one.'],
  ['generated', 'The file is made. Two people read it and sign it.'],
  ['signed', 'You have signed the file.'],
  ['handed-out', 'The file is yours. Download it, send it to the bank, and say here what became of it.'],
  ['confirmed', 'Noted.'],
  ['settled', 'The batch is settled: its requests are paid.'],
]);

/** Batches of payments to the bank: finding, reading and making them (decisions, sections 8 and 9). */
export function batchRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: BATCH_WORKERS });
  const composing = guards.pageGuard({ user_types: ['admin'], perm_check: 'create_nacha' });
  const creating = guards.apiGuard({ user_types: ['admin'], perm_check: 'create_nacha' });
  const paying = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });

  app.get('/batches', { config: { guard: reading }, schema: { querystring: ListQuery } }, async (request, reply) => {
    const { query } = request;
    const [{ data, next_cursor }, ready, frame] = await Promise.all([
      listBatches(db, query),
      listReadyRequests(db, now()),
      readFrame(context, request, reading.actor(request)),
    ]);
    return sendPage(reply, batchListPage(frame, { batches: data, next_cursor, query, ready: ready.length }));
  });

  app.get('/batches/new', { config: { guard: composing } }, async (request, reply) =>
    sendPage(reply, await drawNew(server, request, composing.actor(request))),
  );

  app.post('/batches', { config: { guard: creating }, schema: { body: GatherForm } }, async (request, reply) => {
    const actor = creating.actor(request);
    const chosen = [request.body.disbursement_ids].flat().map(Number);
    const gathering = { disbursement_ids: chosen, same_day: request.body.same_day === 'yes' };
    try {
      const id = await gatherBatch(db, gathering, { by: changedBy(request, actor), now: now() });
      return reply.redirect(`/batches/${id}?done=created`, 303);
    } catch (error) {
      const refusal = refusalOf(error);
      const said = { problem: refusal.words, chosen, same_day: gathering.same_day };
      return sendPage(markRefused(reply, refusal), await drawNew(server, request, actor, said));
    }
  });

  app.get(
    '/batches/:batch_id',
    {
      config: { guard: reading },
      schema: {
        params: Type.Object({ batch_id: Id }),
        querystring: Type.Object({ done: Type.Optional(Type.String({ maxLength: 20 })) }),
      },
    },
    async (request, reply) => {
      const said = { ...request.params, done: DONE.get(request.query.done ?? '') };
      return sendPage(reply, await drawBatch(server, request, reading.actor(request), said));
    },
  );

  // Account numbers stand in it, hence the guard that spares nobody.
  app.get(
    '/batches/:batch_id/file',
    { config: { guard: paying }, schema: { params: Type.Object({ batch_id: Id }) } },
    async (request, reply) => {
      const by = changedBy(request, paying.actor(request));
      const { filename, text } = await downloadFile(context, request.params.batch_id, by);
      reply.header('content-disposition', `attachment; filename="${filename}"`);
      return reply.type('text/plain; charset=us-ascii').send(text);
    },
  );
}

async function drawNew(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  said: { problem?: string; chosen?: number[]; same_day?: boolean } = {},
): Promise<string> {
  const { db, now = () => new Date() } = context;
  const [requests, profile, frame] = await Promise.all([
    listReadyRequests(db, now(), GATHER_MAX),
    findBankProfile(db),
    readFrame(context, request, actor),
  ]);
  return newBatchPage(frame, { requests, same_day: profile?.same_day ?? false, ...said });
}
