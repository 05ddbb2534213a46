import { getCaseProjection, PROJECTED_MONTHS } from '@case-platform/modules/banking';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { Id } from '../schemas.ts';

const Month = Type.String({ pattern: '^\\d{4}-\\d{2}$', description: 'YYYY-MM' });

const ProjectionOut = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        month: Month,
        planned_cents: Type.Integer({ description: 'What is overdue counts in the first month.' }),
        available_cents: Type.Integer({ description: 'Left at the end of the month; below zero where it is missing.' }),
      }),
    ),
    shortfall: Type.Union([Type.Object({ month: Month, missing_cents: Type.Integer() }), Type.Null()], {
      description:
        'The first month that the money does not cover, and the deposit that covers the whole plan, however many months are shown.',
    }),
  },
  { title: 'CaseProjection', description: 'What a case has, less what is planned, month by month.' },
);

/** The projection of a case's balance (PROJECTION-1). */
export function projectionRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details', 'view_drs'] });
  app.get(
    '/api/cases/:id/projection',
    {
      config: { guard },
      schema: {
        tags: ['cases'],
        summary: 'Get what a case will have in the coming months',
        params: Type.Object({ id: Id }),
        querystring: Type.Object({
          months: Type.Optional(Type.Integer({ minimum: 1, maximum: 24, default: PROJECTED_MONTHS })),
        }),
        response: { 200: ProjectionOut },
      },
    },
    (request) =>
      getCaseProjection(context.db, guard.actor(request), request.params.id, {
        ...request.query,
        now: context.now(),
      }),
  );
}
