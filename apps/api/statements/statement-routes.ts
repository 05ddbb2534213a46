import {
  caseStatementCsv,
  getCaseStatement,
  listOwnPayments,
  ownPaymentsCsv,
  readPeriod,
} from '@case-platform/modules/banking';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { Id } from '../schemas.ts';
import { CaseStatementOut, inFormats, OwnPaymentsOut, PeriodQuery } from './statement-schemas.ts';

/** Where the money of a case went, and what was paid to oneself (decisions, section 14). */
export function statementRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details', 'view_drs'] });
  app.get(
    '/api/cases/:id/statement',
    {
      config: { guard },
      schema: {
        tags: ['cases'],
        summary: 'The statement of a case, for whoever may see its balance',
        params: Type.Object({ id: Id }),
        querystring: PeriodQuery,
        response: { 200: inFormats(CaseStatementOut) },
      },
    },
    async (request, reply) => {
      const { format, ...asked } = request.query;
      const { id } = request.params;
      const period = readPeriod(asked, context.now());
      const statement = await getCaseStatement(context.db, guard.actor(request), id, period);
      if (format !== 'csv') return statement;
      return sendCsv(reply, `case-${id}-statement-${period.from}-to-${period.to}`, caseStatementCsv(statement));
    },
  );

  const ownGuard = guards.user();
  app.get(
    '/api/user/me/payments',
    {
      config: { guard: ownGuard },
      schema: {
        tags: ['me'],
        summary: 'What was paid to the caller, over all cases',
        querystring: PeriodQuery,
        response: { 200: inFormats(OwnPaymentsOut) },
      },
    },
    async (request, reply) => {
      const { format, ...asked } = request.query;
      const period = readPeriod(asked, context.now());
      const payments = await listOwnPayments(context.db, ownGuard.actor(request), period);
      if (format !== 'csv') return payments;
      return sendCsv(reply, `payments-to-you-${period.from}-to-${period.to}`, ownPaymentsCsv(payments));
    },
  );
}

function sendCsv(reply: FastifyReply, name: string, text: string): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.csv"`,
    })
    .send(text);
}
