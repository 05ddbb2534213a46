import { NotFoundError } from '@case-platform/lib/errors';
import {
  CASE_STATUSES,
  type CaseStatus,
  canAccessCase,
  findCaseOutline,
  listCasePeople,
  listCases,
} from '@case-platform/modules/cases';
import { listChains } from '@case-platform/modules/messaging';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { readFrame } from '../frame.ts';
import { Cursor, Id } from '../schemas.ts';
import { sendPage } from '../send-page.ts';
import { caseListPage } from '../views/case-list.ts';
import { casePage } from '../views/case-page.ts';

const ListQuery = Type.Object({
  status: Type.Optional(Type.Unsafe<CaseStatus>({ type: 'string', enum: [...CASE_STATUSES] })),
  q: Type.Optional(Type.String({ maxLength: 200 })),
  cursor: Type.Optional(Cursor),
});

/** The cases, and one of them on a page. */
export function caseRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const forList = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_case_details' });
  const forCase = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_case_details', case_id: 'case_id' });

  app.get('/cases', { config: { guard: forList }, schema: { querystring: ListQuery } }, async (request, reply) => {
    const actor = forList.actor(request);
    const { query } = request;
    const { data, next_cursor } = await listCases(db, actor.user, query);
    const frame = await readFrame(context, request, actor);
    return sendPage(reply, caseListPage(frame, { cases: data, next_cursor, query }));
  });

  app.get(
    '/cases/:case_id',
    { config: { guard: forCase }, schema: { params: Type.Object({ case_id: Id }) } },
    async (request, reply) => {
      const actor = forCase.actor(request);
      const { case_id } = request.params;
      const outline = await findCaseOutline(db, case_id);
      if (outline === null) throw new NotFoundError();
      const [people, chains, onCase, frame] = await Promise.all([
        listCasePeople(db, case_id),
        listChains(db, actor.user, { case_id }),
        canAccessCase(db, actor.user, case_id),
        readFrame(context, request, actor),
      ]);
      return sendPage(reply, casePage(frame, { outline, people, chains: chains.data, onCase }));
    },
  );
}
