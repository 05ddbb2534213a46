import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Done, Id } from '../form/schemas.ts';
import { sendPage } from '../page/send-page.ts';
import { readRoleListPage, readRolePage } from './read-role-pages.ts';

/** The roles of staff (ROLE-4). */
export function roleRoutes(server: AdminServer): void {
  const { app, guards } = server;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const config = { guard: reading };
  const querystring = Type.Object({ done: Done });

  app.get('/roles', { config, schema: { querystring } }, async (request, reply) =>
    sendPage(reply, await readRoleListPage(server, request, reading.actor(request), request.query)),
  );

  app.get(
    '/roles/:role_id',
    { config, schema: { params: Type.Object({ role_id: Id }), querystring } },
    async (request, reply) => {
      const shown = { ...request.params, ...request.query };
      return sendPage(reply, await readRolePage(server, request, reading.actor(request), shown));
    },
  );
}
