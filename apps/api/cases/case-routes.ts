import { NotFoundError } from '@case-platform/lib/errors';
import {
  CASE_SORTS,
  CASE_STATUSES,
  type CaseSort,
  canAccessCase,
  getCaseDetail,
  listCases,
  listScheduledPayments,
  MILESTONE_KINDS,
  type MilestoneKind,
} from '@case-platform/modules/cases';
import { listPlaces, requestConditions, requireCaseDisbursements } from '@case-platform/modules/disbursements';
import { canViewBalance, findCaseBalance } from '@case-platform/modules/ledger';
import { listChains } from '@case-platform/modules/messaging';
import { listCaseOverviews } from '@case-platform/modules/overview';
import { CATEGORY_MAX, SEARCH_MAX } from '@case-platform/words/limits';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { CHAIN_STATUSES, ChainOut, toChainOut } from '../messaging/index.ts';
import {
  Cents,
  Day,
  Id,
  NullableDay,
  NullablePerson,
  OneOrMore,
  PageQuery,
  Person,
  pageOf,
  Time,
  toNullablePerson,
  toPerson,
  valuesOf,
} from '../schemas.ts';
import { CalendarPaymentOut, CaseOverviewOut, summary } from './case-schemas.ts';

const MilestoneOut = Type.Object(
  {
    id: Id,
    kind: Type.Unsafe<MilestoneKind>({ type: 'string', enum: [...MILESTONE_KINDS] }),
    happened_on: Day,
    note: Type.String(),
    funding_required_cents: Type.Union([Cents, Type.Null()]),
    created_by: Person,
    created_at: Time,
  },
  { title: 'Milestone' },
);

const Balance = Type.Object(
  {
    funded_cents: Type.Integer(),
    held_cents: Type.Integer({ description: 'Set aside for requests that are approved and not paid yet.' }),
    paid_cents: Type.Integer(),
    available_cents: Type.Integer(),
  },
  { title: 'CaseBalance', description: 'What was paid in is what is available, held and paid.' },
);

const CaseDetailOut = Type.Object(
  {
    ...summary,
    agency_name: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    escrow_specialist: NullablePerson,
    approver: NullablePerson,
    close_due_on: NullableDay,
    people: Type.Array(Person),
    milestones: Type.Array(MilestoneOut),
    categories: Type.Array(Type.String(), {
      description: 'What requests of this case can be for: what its contract limits, then `Other`.',
    }),
    balance: Type.Union([Balance, Type.Null()], { description: 'Null for those who may not see it: surrogates.' }),
  },
  { title: 'CaseDetails' },
);

const params = Type.Object({ id: Id });

/** Cases (CASE-3, CASE-4). */
export function caseRoutes(server: ApiServer): void {
  listRoutes(server);
  detailRoutes(server);
}

function listRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details'] });
  app.get(
    '/api/cases',
    {
      config: { guard },
      schema: {
        tags: ['cases'],
        summary: 'List your cases',
        querystring: Type.Object({
          status: Type.Optional(OneOrMore(CASE_STATUSES)),
          q: Type.Optional(Type.String({ maxLength: SEARCH_MAX })),
          sort: Type.Optional(Type.Unsafe<CaseSort>({ type: 'string', enum: [...CASE_SORTS], default: '-updated_at' })),
          overview: Type.Optional(
            Type.Boolean({
              description: 'With the money of each, what is open, whom it waits for and what is unread.',
            }),
          ),
          ...PageQuery,
        }),
        response: {
          200: pageOf(Type.Object({ ...summary, overview: Type.Optional(CaseOverviewOut) }, { title: 'Case' })),
        },
      },
    },
    async (request) => {
      const user = guard.actor(request);
      const page = await listCases(context.db, user, { ...request.query, status: valuesOf(CASE_STATUSES, request.query.status) });
      if (request.query.overview !== true) return page;
      const ids = page.data.map(({ id }) => id);
      const overviews = await listCaseOverviews(context.db, user, ids, context.now());
      return { ...page, data: page.data.map((one) => ({ ...one, overview: overviews.get(one.id) })) };
    },
  );
}

function detailRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details'] });
  const config = { guard };
  const { db, now } = context;

  app.get(
    '/api/cases/:id',
    { config, schema: { tags: ['cases'], summary: 'Get a case', params, response: { 200: CaseDetailOut } } },
    async (request) => {
      const user = guard.actor(request);
      const { id } = request.params;
      const detail = await getCaseDetail(db, user, id);
      return {
        ...detail,
        escrow_specialist: toNullablePerson(detail.escrow_specialist),
        approver: toNullablePerson(detail.approver),
        people: detail.people.map(toPerson),
        milestones: detail.milestones.map((one) => ({ ...one, created_by: toPerson(one.created_by) })),
        balance: (await canViewBalance(db, user)) ? await findCaseBalance(db, id) : null,
      };
    },
  );

  const reading = guards.user({ perm_check: ['view_messages'] });
  app.get(
    '/api/cases/:id/messages',
    {
      config: { guard: reading },
      schema: {
        tags: ['cases'],
        summary: 'List your conversations about a case, newest activity first',
        params,
        querystring: Type.Object({ status: Type.Optional(OneOrMore(CHAIN_STATUSES)), ...PageQuery }),
        response: { 200: pageOf(ChainOut) },
      },
    },
    async (request) => {
      const user = reading.actor(request);
      if (!(await canAccessCase(db, user, request.params.id))) throw new NotFoundError();
      const page = await listChains(db, user, {
        ...request.query,
        status: valuesOf(CHAIN_STATUSES, request.query.status),
        case_id: request.params.id,
      });
      return { data: page.data.map(toChainOut), next_cursor: page.next_cursor };
    },
  );

  const planning = guards.user({ perm_check: ['view_case_details', 'view_drs'] });
  app.get(
    '/api/cases/:id/scheduled-payments',
    {
      config: { guard: planning },
      schema: {
        tags: ['cases'],
        summary: 'List the planned payments of a case, earliest first',
        params,
        querystring: Type.Object({
          category: Type.Optional(Type.String({ minLength: 1, maxLength: CATEGORY_MAX })),
          ...PageQuery,
        }),
        response: { 200: pageOf(CalendarPaymentOut) },
      },
    },
    async (request) => {
      const user = planning.actor(request);
      await requireCaseDisbursements(db, user, request.params.id);
      const filter = { ...request.query, requests: requestConditions(user) };
      const page = await listScheduledPayments(db, request.params.id, filter);
      const ids = page.data.map(({ disbursement_id }) => disbursement_id);
      const places = await listPlaces(db, user, ids, now());
      const data = page.data.map((payment) => ({
        ...payment,
        payee: toNullablePerson(payment.payee),
        whereabouts: places.get(payment.disbursement_id ?? 0) ?? null,
      }));
      return { data, next_cursor: page.next_cursor };
    },
  );
}
