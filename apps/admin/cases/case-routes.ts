import type { Html } from '@case-platform/lib/html';
import { listAgencyNames, listStaff } from '@case-platform/modules/accounts';
import {
  CASE_SORTS,
  CASE_STATUSES,
  type CaseSort,
  type CaseStatus,
  listCases,
  listPeopleOfCases,
} from '@case-platform/modules/cases';
import { listCaseActivity } from '@case-platform/modules/messaging';
import { SEARCH_MAX } from '@case-platform/words/limits';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Cursor, Done, Id } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { caseListPage } from './case-list.ts';
import { closingSoon } from './closing-soon.ts';
import { FOR_THE_TEAM, readCasePage } from './read-case-page.ts';

const ListQuery = Type.Object({
  status: Type.Optional(Type.Unsafe<CaseStatus>({ type: 'string', enum: [...CASE_STATUSES] })),
  show: Type.Unsafe<'all' | 'mine'>({ type: 'string', enum: ['all', 'mine'], default: 'all' }),
  agency_id: Type.Optional(Id),
  /** A number, or `none`. */
  specialist: Type.Optional(Type.String({ pattern: '^(none|[1-9][0-9]{0,14})$' })),
  due: Type.Optional(Type.Unsafe<'soon'>({ type: 'string', enum: ['soon'] })),
  q: Type.Optional(Type.String({ maxLength: SEARCH_MAX })),
  sort: Type.Optional(Type.Unsafe<CaseSort>({ type: 'string', enum: [...CASE_SORTS] })),
  cursor: Type.Optional(Cursor),
});

/** The list of cases, and the page of one. */
export function caseRoutes(server: AdminServer): void {
  const { app, guards } = server;
  const forList = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_case_details' });
  const forCase = guards.pageGuard(FOR_THE_TEAM);

  app.get('/cases', { config: { guard: forList }, schema: { querystring: ListQuery } }, async (request, reply) => {
    return sendPage(reply, await readCaseListPage(server, request, forList.actor(request), request.query));
  });

  app.get(
    '/cases/:case_id',
    {
      config: { guard: forCase },
      schema: {
        params: Type.Object({ case_id: Id }),
        querystring: Type.Object({ done: Done }),
      },
    },
    async (request, reply) => {
      const { case_id } = request.params;
      return sendPage(reply, await readCasePage(server, request, forCase.actor(request), { case_id, ...request.query }));
    },
  );
}

async function readCaseListPage(
  { context: { db, ...context } }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  query: Static<typeof ListQuery>,
): Promise<Html> {
  const { show, specialist, due, ...rest } = query;
  const { now } = context;
  const escrow_specialist_id = specialist === undefined || specialist === 'none' ? specialist : Number(specialist);
  const [page, agencies, staff, frame] = await Promise.all([
    listCases(db, actor.user, {
      ...rest,
      escrow_specialist_id,
      mine: show === 'mine',
      close_due_by: due === undefined ? undefined : closingSoon(now()),
    }),
    listAgencyNames(db),
    listStaff(db),
    readFrame({ db, ...context }, request, actor),
  ]);
  const ids = page.data.map(({ id }) => id);
  const [people, activity] = await Promise.all([
    listPeopleOfCases(db, ids),
    actor.admin.can('view_messages') ? listCaseActivity(db, actor.user, ids) : new Map(),
  ]);
  return caseListPage(frame, {
    cases: page.data,
    next_cursor: page.next_cursor,
    people,
    activity,
    agencies,
    staff,
    query,
  });
}
