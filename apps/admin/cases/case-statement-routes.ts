import { PAPERS, type Paper, paperOf } from '@case-platform/lib/pdf/paper';
import { caseStatementCsv, caseStatementPdf, readCaseStatement, readPeriod } from '@case-platform/modules/banking';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Id } from '../form/schemas.ts';

const Day = Type.String({ format: 'date' });
const querystring = Type.Object({
  from: Day,
  to: Day,
  format: Type.Unsafe<'csv' | 'pdf'>({ type: 'string', enum: ['csv', 'pdf'] }),
  paper: Type.Optional(Type.Unsafe<Paper>({ type: 'string', enum: [...PAPERS] })),
});

/** The statement of a case as a file, the same as the JSON API's (STATEMENT-1). */
export function caseStatementRoutes({ app, context, guards }: AdminServer): void {
  const guard = guards.apiGuard({
    user_types: ['admin'],
    perm_check: ['view_case_details', 'view_drs', 'make_payments'],
  });
  const schema = { params: Type.Object({ case_id: Id }), querystring };
  app.get('/cases/:case_id/statement', { config: { guard }, schema }, async (request, reply) => {
    const { format, paper, ...requested } = request.query;
    const { case_id } = request.params;
    const now = context.now?.() ?? new Date();
    const period = readPeriod(requested, now);
    const statement = await readCaseStatement(context, guard.actor(request).user, case_id, period, now);
    const name = `case-${case_id}-statement-${period.from}-to-${period.to}.${format}`;
    reply.header('content-disposition', `attachment; filename="${name}"`);
    if (format === 'csv') return reply.type('text/csv; charset=utf-8').send(caseStatementCsv(statement));
    const printing = { paper: paperOf(paper, request.headers['accept-language']), now };
    return reply.type('application/pdf').send(await caseStatementPdf(statement, printing));
  });
}
