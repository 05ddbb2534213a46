import { CASE_SORTS, CASE_STATUSES, type CaseSort, type CaseStatus, listCases } from '@case-platform/modules/cases';
import { Type } from 'typebox';
import { Id, NullableId, PageQuery, pageOf, Time } from '../schemas.ts';
import type { ApiServer } from '../server.ts';

const Status = Type.Unsafe<CaseStatus>({ type: 'string', enum: [...CASE_STATUSES] });

const CaseOut = Type.Object({
  id: Id,
  name: Type.String(),
  status: Status,
  agency_id: NullableId,
  escrow_specialist_id: NullableId,
  created_at: Time,
  updated_at: Time,
});

/** Cases (decisions, section 8). */
export function caseRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user();
  app.get(
    '/api/cases',
    {
      config: { guard },
      schema: {
        tags: ['cases'],
        summary: 'The cases that the caller sees',
        querystring: Type.Object({
          status: Type.Optional(Status),
          q: Type.Optional(Type.String({ maxLength: 200 })),
          sort: Type.Optional(Type.Unsafe<CaseSort>({ type: 'string', enum: [...CASE_SORTS], default: '-updated_at' })),
          ...PageQuery,
        }),
        response: { 200: pageOf(CaseOut) },
      },
    },
    (request) => listCases(context.db, guard.actor(request), request.query),
  );
}
