import type { Html } from '@case-platform/lib/html';
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
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { Cursor, Done, Id } from '../form/schemas.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { batchListPage } from './batch-list.ts';
import { type BatchChoices, newBatchPage } from './new-batch-page.ts';
import { readBatchPage } from './read-batch-page.ts';

const ListQuery = Type.Object({
  status: Type.Optional(Type.Unsafe<BatchStatus>({ type: 'string', enum: [...BATCH_STATUSES] })),
  cursor: Type.Optional(Cursor),
});
const IdText = Type.String({ pattern: '^[1-9][0-9]{0,14}$' });
const GatherForm = Type.Object({
  // A form sends one choice as a string, several as a list.
  disbursement_ids: Type.Union([IdText, Type.Array(IdText, { maxItems: GATHER_MAX })], { default: [] }),
  same_day: Type.Optional(Type.Literal('yes')),
  /** The button that only updates the totals, for browsers without scripts. */
  preview: Type.Optional(Type.Literal('yes')),
});

/** Finds, shows, and creates batches of payments to the bank (BATCH-1, BATCH-9). */
export function batchRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: BATCH_WORKERS });
  const composing = guards.pageGuard({ user_types: ['admin'], perm_check: 'create_nacha', closed: 'batch_form' });
  const creating = guards.apiGuard({ user_types: ['admin'], perm_check: 'create_nacha' });
  const paying = guards.apiGuard({ user_types: ['admin'], perm_check: 'make_payments' });

  app.get('/batches', { config: { guard: reading }, schema: { querystring: ListQuery } }, async (request, reply) => {
    const { query } = request;
    const [{ data, next_cursor }, ready, frame] = await Promise.all([
      listBatches(db, query, now()),
      listReadyRequests(db, reading.actor(request).user, now()),
      readFrame(context, request, reading.actor(request)),
    ]);
    const payable = ready.filter(({ problem }) => problem === null).length;
    const counts = { ready: payable, left_out: ready.length - payable };
    return sendPage(reply, batchListPage(frame, { batches: data, next_cursor, query, ...counts }));
  });

  app.get('/batches/new', { config: { guard: composing } }, async (request, reply) => {
    const actor = composing.actor(request);
    return sendPage(reply, await readNewBatchPage(server, request, actor));
  });

  const page: FormPage<unknown, Static<typeof GatherForm>> = {
    path: () => '/batches/new',
    readRefused: ({ request, actor, body }, refused) =>
      readNewBatchPage(server, request, actor, { choices: choicesOf(body), refused }),
  };
  formRoute(server, page, '/batches', {
    guard: creating,
    body: GatherForm,
    run: async ({ body, by }) => {
      if (body.preview === 'yes') return null;
      const { ids, same_day } = choicesOf(body);
      return gatherBatch(db, { disbursement_ids: [...ids], same_day }, by, now());
    },
    next: async (id, { request, reply, actor, body }) => {
      if (id !== null) return `/batches/${id}?done=created`;
      return sendPage(reply, await readNewBatchPage(server, request, actor, { choices: choicesOf(body) }));
    },
  });

  app.get(
    '/batches/:batch_id',
    {
      config: { guard: reading },
      schema: {
        params: Type.Object({ batch_id: Id }),
        querystring: Type.Object({ done: Done }),
      },
    },
    async (request, reply) => {
      const shown = { ...request.params, ...request.query };
      return sendPage(reply, await readBatchPage(server, request, reading.actor(request), shown));
    },
  );

  // It holds account numbers: the API guard keeps out admins without the permission, too.
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

function choicesOf({ disbursement_ids, same_day }: Static<typeof GatherForm>): BatchChoices {
  return { ids: new Set([disbursement_ids].flat().map(Number)), same_day: same_day === 'yes' };
}

async function readNewBatchPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { choices, refused }: { choices?: BatchChoices; refused?: RefusedForm } = {},
): Promise<Html> {
  const { db, now } = context;
  const [ready, profile, frame] = await Promise.all([
    listReadyRequests(db, actor.user, now(), GATHER_MAX),
    findBankProfile(db),
    readFrame(context, request, actor),
  ]);
  return newBatchPage(frame, { ready, choices, same_day: profile?.same_day ?? false, refused });
}
