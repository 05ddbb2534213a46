import { createAgency, issueAgencyKey, renameAgency, revokeAgencyKey } from '@case-platform/modules/accounts';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { sendPage } from '../page/send-page.ts';
import { readAgencyListPage, readAgencyPage } from './read-agency-pages.ts';

const AgencyId = Type.Object({ agency_id: Id });
/** Longer than a name may be, so that a name that is too long comes back in the form. */
const NameForm = Type.Object({ name: Type.String({ maxLength: 2000, default: '' }) });

/** Adds and renames agencies, and issues and revokes the keys of their systems (KEY-1, KEY-7). */
export function agencyChangeRoutes(server: AdminServer): void {
  nameRoutes(server);
  keyRoutes(server);
}

function nameRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_agencies' });
  const config = { guard: editing };

  app.post('/agencies', { config, schema: { body: NameForm } }, (request, reply) => {
    const actor = editing.actor(request);
    return answerForm(request, reply, {
      run: async () => {
        const { id } = await createAgency(db, request.body.name, changedBy(request, actor));
        return `/agencies/${id}?done=created`;
      },
      again: (refused) => readAgencyListPage(server, request, actor, { refused }),
    });
  });

  app.post('/agencies/:agency_id/name', { config, schema: { params: AgencyId, body: NameForm } }, (request, reply) => {
    const actor = editing.actor(request);
    const { agency_id } = request.params;
    return answerForm(request, reply, {
      run: async () => {
        await renameAgency(db, agency_id, request.body.name, changedBy(request, actor));
        return `/agencies/${agency_id}?done=renamed`;
      },
      again: (refused) => readAgencyPage(server, request, actor, { agency_id, refused }),
    });
  });
}

function keyRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_agencies' });

  // The key is in this answer and nowhere else: no redirect, nothing that a cache or a log could keep.
  app.post('/agencies/:agency_id/keys', { config: { guard: editing }, schema: { params: AgencyId } }, (request, reply) => {
    const actor = editing.actor(request);
    const { agency_id } = request.params;
    reply.header('cache-control', 'no-store');
    return answerForm(request, reply, {
      run: async () => {
        const issued = await issueAgencyKey(db, agency_id, changedBy(request, actor));
        return sendPage(reply, await readAgencyPage(server, request, actor, { agency_id, issued }));
      },
      again: (refused) => readAgencyPage(server, request, actor, { agency_id, refused }),
    });
  });

  app.post(
    '/agencies/:agency_id/keys/:key_id/revoke',
    { config: { guard: editing }, schema: { params: Type.Object({ agency_id: Id, key_id: Id }) } },
    (request, reply) => {
      const actor = editing.actor(request);
      const { agency_id, key_id } = request.params;
      return answerForm(request, reply, {
        run: async () => {
          await revokeAgencyKey(db, agency_id, key_id, changedBy(request, actor));
          return `/agencies/${agency_id}?done=revoked`;
        },
        again: (refused) => readAgencyPage(server, request, actor, { agency_id, refused }),
      });
    },
  );
}
