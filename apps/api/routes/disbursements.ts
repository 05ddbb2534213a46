import type { User } from '@case-platform/modules/accounts';
import {
  approveDisbursement,
  cancelDisbursement,
  createDisbursement,
  type Disbursement,
  denyDisbursement,
  getDisbursement,
  linkChain,
  listDisbursementFiles,
  listDisbursements,
  requireCaseDisbursements,
  submitDisbursement,
  updateDisbursement,
} from '@case-platform/modules/disbursements';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { changedBy } from '../changed-by.ts';
import {
  DisbursementChangeBody,
  DisbursementOut,
  DisbursementStatusName,
  fromPayee,
  NewDisbursementBody,
  toDisbursementOut,
} from '../disbursement-schemas.ts';
import { Id, IdempotencyHeaders, PageQuery, pageOf } from '../schemas.ts';
import type { ApiContext, ApiServer } from '../server.ts';

const params = Type.Object({ id: Id });
const tags = ['disbursements'];
const response = () => ({ 200: DisbursementOut });

/** Disbursement requests, DR (decisions, section 8). */
export function disbursementRoutes(server: ApiServer): void {
  readingRoutes(server);
  writingRoutes(server);
  movingRoutes(server);
}

/** Whoever asks, as the one who changes something. */
export function changedByUser(request: FastifyRequest, user: User) {
  return { ...changedBy(request, user), actor: user };
}

async function showPage(context: ApiContext, user: User, page: { data: Disbursement[]; next_cursor: string | null }) {
  const ids = page.data.map(({ id }) => id);
  const files = await listDisbursementFiles(context, user, ids);
  const data = page.data.map((request) => toDisbursementOut(request, files.get(request.id) ?? []));
  return { data, next_cursor: page.next_cursor };
}

export async function showDisbursement(context: ApiContext, user: User, id: number) {
  const request = await getDisbursement(context.db, user, id, context.now());
  const files = await listDisbursementFiles(context, user, [id]);
  return toDisbursementOut(request, files.get(id) ?? []);
}

const ListQuery = { status: Type.Optional(DisbursementStatusName), ...PageQuery };
const WaitingForMe = Type.Optional(Type.Boolean({ description: 'Only those that the caller is the one to decide.' }));

function readingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };

  app.get(
    '/api/disbursements',
    {
      config,
      schema: {
        tags,
        summary: 'The requests that the caller sees, newest first',
        querystring: Type.Object({ case_id: Type.Optional(Id), waiting_for_me: WaitingForMe, ...ListQuery }),
        response: { 200: pageOf(DisbursementOut) },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      return showPage(context, user, await listDisbursements(context.db, user, request.query, context.now()));
    },
  );

  app.get(
    '/api/cases/:id/disbursements',
    {
      config,
      schema: {
        tags,
        summary: 'The requests of a case, newest first',
        params,
        querystring: Type.Object(ListQuery),
        response: { 200: pageOf(DisbursementOut) },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const case_id = request.params.id;
      await requireCaseDisbursements(context.db, user, case_id);
      const filter = { ...request.query, case_id };
      return showPage(context, user, await listDisbursements(context.db, user, filter, context.now()));
    },
  );

  app.get(
    '/api/disbursements/:id',
    { config, schema: { tags, summary: 'One request', params, response: response() } },
    (request) => showDisbursement(context, guard.actor(request), request.params.id),
  );
}

function writingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };

  app.post(
    '/api/cases/:id/disbursements',
    {
      config,
      schema: {
        tags,
        summary: 'Writes a request, as a draft',
        params,
        headers: IdempotencyHeaders,
        body: NewDisbursementBody,
        response: { 201: DisbursementOut },
      },
    },
    async (request, reply) => {
      const user = guard.actor(request);
      const { payee, ...fields } = request.body;
      const idempotencyKey = request.headers['idempotency-key'];
      const input = { ...fields, payee: fromPayee(payee), idempotencyKey };
      const { id } = await createDisbursement(context, request.params.id, input, changedByUser(request, user));
      return reply.code(201).send(await showDisbursement(context, user, id));
    },
  );

  app.patch(
    '/api/disbursements/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Changes a request; after it was sent, a change of payee or amount makes it a draft again',
        params,
        body: DisbursementChangeBody,
        response: response(),
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const { payee, ...fields } = request.body;
      const change = { ...fields, payee: fromPayee(payee) };
      await updateDisbursement(context, request.params.id, change, changedByUser(request, user));
      return showDisbursement(context, user, request.params.id);
    },
  );

  app.put(
    '/api/disbursements/:id/chain',
    {
      config,
      schema: {
        tags,
        summary: 'Names the chain in which a request is talked about, once',
        params,
        body: Type.Object({ chain_id: Id }),
        response: response(),
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const { id } = request.params;
      await linkChain(context, { id, chainId: request.body.chain_id }, changedByUser(request, user));
      return showDisbursement(context, user, id);
    },
  );
}

function movingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  const config = { guard };
  const moves = [
    ['submit', submitDisbursement, 'Sends a draft to its approver'],
    ['approve', approveDisbursement, 'Approves a request; never its own maker'],
    ['cancel', cancelDisbursement, 'Takes back a request that nobody has decided about'],
  ] as const;
  for (const [name, move, summary] of moves) {
    app.post(
      `/api/disbursements/:id/${name}`,
      { config, schema: { tags, summary, params, response: response() } },
      async (request) => {
        const user = guard.actor(request);
        await move(context, request.params.id, changedByUser(request, user));
        return showDisbursement(context, user, request.params.id);
      },
    );
  }
  app.post(
    '/api/disbursements/:id/deny',
    {
      config,
      schema: {
        tags,
        summary: 'Denies a request',
        params,
        body: Type.Object({
          reason: Type.String({ minLength: 1, maxLength: 8000, description: 'Up to 2,000 characters.' }),
        }),
        response: response(),
      },
    },
    async (request) => {
      const user = guard.actor(request);
      await denyDisbursement(context, request.params.id, request.body, changedByUser(request, user));
      return showDisbursement(context, user, request.params.id);
    },
  );
}
