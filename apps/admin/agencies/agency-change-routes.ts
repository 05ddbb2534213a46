import { createAgency, renameAgency } from '@case-platform/modules/accounts';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { sendPage } from '../page/send-page.ts';
import { drawAgencies, drawAgency } from './agency-routes.ts';

/** Longer than a name may be, so that one that is too long comes back to its writer. */
const NameForm = Type.Object({ name: Type.String({ maxLength: 2000, default: '' }) });

/** Adding agencies, and what they are called. */
export function agencyChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_agencies' });
  const config = { guard: editing };

  app.post('/agencies', { config, schema: { body: NameForm } }, async (request, reply) => {
    const actor = editing.actor(request);
    const { name } = request.body;
    try {
      const { id } = await createAgency(db, name, changedBy(request, actor));
      return reply.redirect(`/agencies/${id}?done=created`, 303);
    } catch (error) {
      const refusal = refusalOf(error);
      const failed = { name, problem: refusal.words };
      return sendPage(markRefused(reply, refusal), await drawAgencies(server, request, actor, { failed }));
    }
  });

  app.post(
    '/agencies/:agency_id/name',
    { config, schema: { params: Type.Object({ agency_id: Id }), body: NameForm } },
    async (request, reply) => {
      const actor = editing.actor(request);
      const { agency_id } = request.params;
      try {
        await renameAgency(db, agency_id, request.body.name, changedBy(request, actor));
        return reply.redirect(`/agencies/${agency_id}?done=renamed`, 303);
      } catch (error) {
        const refusal = refusalOf(error);
        const page = await drawAgency(server, request, actor, { agency_id, problem: refusal.words });
        return sendPage(markRefused(reply, refusal), page);
      }
    },
  );
}
