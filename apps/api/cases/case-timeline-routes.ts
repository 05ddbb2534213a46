import { CASE_EVENT_KINDS, type CaseEventKind, listCaseTimeline } from '@case-platform/modules/overview';
import { toApiUserType } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { ApiUserTypeOut, Id, PageQuery, pageOf, Time } from '../schemas.ts';

const Kind = Type.Unsafe<CaseEventKind>({ type: 'string', enum: [...CASE_EVENT_KINDS] });

const Entry = Type.Object(
  {
    at: Time,
    kind: Kind,
    text: Type.String({ description: 'One line; never what a message says.' }),
    by: Type.Union([Type.Object({ name: Type.String(), role: ApiUserTypeOut }), Type.Null()], {
      description: 'Null for what the bank or the platform did.',
    }),
    url: Type.String({ description: 'Where it stands in the web frontend, a path.' }),
  },
  { title: 'CaseTimelineEntry' },
);

/** The timeline of a case, with what the caller may see (TIMELINE-1). */
export function caseTimelineRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details'] });
  app.get(
    '/api/cases/:id/timeline',
    {
      config: { guard },
      schema: {
        tags: ['cases'],
        summary: 'List the events of a case, newest first: money, requests, documents, messages, milestones, states',
        params: Type.Object({ id: Id }),
        querystring: Type.Object({ kind: Type.Optional(Kind), ...PageQuery }),
        response: { 200: pageOf(Entry) },
      },
    },
    async (request) => {
      const page = await listCaseTimeline(context.db, guard.actor(request), request.params.id, request.query);
      const data = page.data.map(({ by, ...entry }) => ({
        ...entry,
        by: by && { name: by.name, role: toApiUserType(by.user_type) },
      }));
      return { data, next_cursor: page.next_cursor };
    },
  );
}
