import {
  createDisbursement,
  DISBURSEMENT_STATUSES,
  linkChain,
  listDisbursements,
  PAYERS,
  REQUEST_READERS,
  readsRequests,
  requireCaseDisbursements,
  updateDisbursement,
} from '@case-platform/modules/disbursements';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { changedBy } from '../guards/changed-by.ts';
import { Id, IdempotencyHeaders, OneOrMore, PageQuery, pageOf, valuesOf } from '../schemas.ts';
import { disbursementMoveRoutes } from './disbursement-move-routes.ts';
import { DisbursementChangeBody, DisbursementOut, fromPayee, NewDisbursementBody } from './disbursement-schemas.ts';
import { payeeRoutes } from './payee-routes.ts';
import { changeAndShow, showDisbursement, showDisbursements, showPayment } from './show-disbursement.ts';

const params = Type.Object({ id: Id });
const tags = ['disbursements'];
const response = () => ({ 200: DisbursementOut });

/** Requests for money (REQUEST-1, REQUEST-11). */
export function disbursementRoutes(server: ApiServer): void {
  readingRoutes(server);
  writingRoutes(server);
  disbursementMoveRoutes(server);
  payeeRoutes(server);
}

const ListQuery = { status: Type.Optional(OneOrMore(DISBURSEMENT_STATUSES)), ...PageQuery };
const SEARCHED =
  'Words, each in the description, the category, the payee’s name, or the case’s name; ' +
  'an amount such as `$300.00`; or the number of a request.';
const WaitingForMe = Type.Optional(Type.Boolean({ description: 'Only those that wait for the caller’s decision.' }));

function readingRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: REQUEST_READERS });
  const paying = guards.user({ perm_check: [...REQUEST_READERS, ...PAYERS] });
  const config = { guard };

  app.get(
    '/api/disbursements',
    {
      config,
      schema: {
        tags,
        summary: 'List your requests, newest first',
        querystring: Type.Object({
          case_id: Type.Optional(Id),
          waiting_for_me: WaitingForMe,
          q: Type.Optional(Type.String({ maxLength: SEARCH_MAX, description: SEARCHED })),
          ...ListQuery,
        }),
        response: { 200: pageOf(DisbursementOut) },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      return showDisbursements(
        context,
        user,
        await listDisbursements(
          context.db,
          user,
          { ...request.query, status: valuesOf(DISBURSEMENT_STATUSES, request.query.status) },
          context.now(),
        ),
      );
    },
  );

  app.get(
    '/api/cases/:id/disbursements',
    {
      config,
      schema: {
        tags,
        summary: 'List the requests of a case, newest first',
        params,
        querystring: Type.Object(ListQuery),
        response: { 200: pageOf(DisbursementOut) },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const case_id = request.params.id;
      await requireCaseDisbursements(context.db, user, case_id);
      const filter = { ...request.query, status: valuesOf(DISBURSEMENT_STATUSES, request.query.status), case_id };
      return showDisbursements(context, user, await listDisbursements(context.db, user, filter, context.now()));
    },
  );

  app.get(
    '/api/disbursements/:id',
    { config: { guard: paying }, schema: { tags, summary: 'Get a request', params, response: response() } },
    async (request) => {
      const user = paying.actor(request);
      const show = (await readsRequests(context.db, user)) ? showDisbursement : showPayment;
      return show(context, user, request.params.id);
    },
  );
}

function writingRoutes({ app, context, guards }: ApiServer): void {
  const creating = guards.user({ perm_check: ['create_drs'] });
  const guard = guards.user({ perm_check: ['create_drs', 'edit_drs'] });
  const config = { guard };

  app.post(
    '/api/cases/:id/disbursements',
    {
      config: { guard: creating },
      schema: {
        tags,
        summary: 'Create a request as a draft',
        params,
        headers: IdempotencyHeaders,
        body: NewDisbursementBody,
        response: { 201: DisbursementOut },
      },
    },
    async (request, reply) => {
      const user = creating.actor(request);
      const { payee, ...fields } = request.body;
      const idempotencyKey = request.headers['idempotency-key'];
      const input = { ...fields, payee: fromPayee(payee), idempotencyKey };
      const { id } = await createDisbursement(context, request.params.id, input, changedBy(request, user));
      return reply.code(201).send(await showDisbursement(context, user, id));
    },
  );

  app.patch(
    '/api/disbursements/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Change a request; a new payee or amount makes a submitted one a draft again',
        params,
        body: DisbursementChangeBody,
        response: response(),
      },
    },
    (request) => {
      const user = guard.actor(request);
      const { id } = request.params;
      const { payee, ...fields } = request.body;
      const change = { ...fields, payee: fromPayee(payee) };
      const by = changedBy(request, user);
      return changeAndShow(context, user, id, (within) => updateDisbursement(within, id, change, by));
    },
  );

  // The guard is about the conversation; the command checks that an admin may also read requests and works on the case.
  const talking = guards.user({ perm_check: ['view_messages'] });
  app.put(
    '/api/disbursements/:id/chain',
    {
      config: { guard: talking },
      schema: {
        tags,
        summary: 'Link the conversation about a request, once',
        params,
        body: Type.Object({ chain_id: Id }),
        response: response(),
      },
    },
    (request) => {
      const user = talking.actor(request);
      const { id } = request.params;
      const link = { id, chainId: request.body.chain_id };
      return changeAndShow(context, user, id, (within) => linkChain(within, link, changedBy(request, user)));
    },
  );
}
