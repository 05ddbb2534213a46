import { paperOf } from '@case-platform/lib/pdf/paper';
import {
  caseStatementCsv,
  caseStatementPdf,
  ownPaymentsCsv,
  ownPaymentsPdf,
  readCaseStatement,
  readOwnPayments,
  readPeriod,
} from '@case-platform/modules/banking';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { Id } from '../schemas.ts';
import { sendFile } from './send-file.ts';
import { CaseStatementOut, inFormats, OwnPaymentsOut, PeriodQuery } from './statement-schemas.ts';

/** The statement of a case, and the payments to the caller (STATEMENT-1, STATEMENT-5). */
export function statementRoutes({ app, context, guards }: ApiServer): void {
  const guard = guards.user({ perm_check: ['view_case_details', 'view_drs'] });
  app.get(
    '/api/cases/:id/statement',
    {
      config: { guard },
      schema: {
        tags: ['cases'],
        summary: 'Get the statement of a case, as JSON, CSV, or PDF',
        params: Type.Object({ id: Id }),
        querystring: PeriodQuery,
        response: { 200: inFormats(CaseStatementOut) },
      },
    },
    async (request, reply) => {
      const { format, paper, ...range } = request.query;
      const { id } = request.params;
      const now = context.now();
      const period = readPeriod(range, now);
      const statement = await readCaseStatement(context, guard.actor(request), id, period, now);
      const name = `case-${id}-statement-${period.from}-to-${period.to}`;
      if (format === 'csv') return sendFile(reply, `${name}.csv`, caseStatementCsv(statement));
      if (format !== 'pdf') return statement;
      const printing = { paper: paperOf(paper, request.headers['accept-language']), now };
      return sendFile(reply, `${name}.pdf`, await caseStatementPdf(statement, printing));
    },
  );

  const ownGuard = guards.user();
  app.get(
    '/api/user/me/payments',
    {
      config: { guard: ownGuard },
      schema: {
        tags: ['me'],
        summary: 'List what was paid to you in all cases',
        querystring: PeriodQuery,
        response: { 200: inFormats(OwnPaymentsOut) },
      },
    },
    async (request, reply) => {
      const { format, paper, ...range } = request.query;
      const now = context.now();
      const period = readPeriod(range, now);
      const payments = await readOwnPayments(context, ownGuard.actor(request), period, now);
      const name = `payments-to-you-${period.from}-to-${period.to}`;
      if (format === 'csv') return sendFile(reply, `${name}.csv`, ownPaymentsCsv(payments));
      if (format !== 'pdf') return payments;
      const printing = { paper: paperOf(paper, request.headers['accept-language']), now };
      return sendFile(reply, `${name}.pdf`, await ownPaymentsPdf(payments, printing));
    },
  );
}
