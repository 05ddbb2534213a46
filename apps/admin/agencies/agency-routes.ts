import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Done, Id } from '../form/schemas.ts';
import { sendPage } from '../page/send-page.ts';
import { readAgencyListPage, readAgencyPage } from './read-agency-pages.ts';

/** Agencies, and one of them on a page with its keys. */
export function agencyRoutes(server: AdminServer): void {
  const { app, guards } = server;
  const reading = guards.pageGuard({
    user_types: ['admin'],
    // Everyone who may change agencies may also read them, even if the category grows.
    category_check: 'Agencies',
    // Somebody else who follows a link to an agency is sent to the home page, which says where their own place is.
    redirect_to: '/',
  });

  app.get(
    '/agencies',
    { config: { guard: reading }, schema: { querystring: Type.Object({ after: Type.Optional(Id) }) } },
    async (request, reply) => sendPage(reply, await readAgencyListPage(server, request, reading.actor(request), request.query)),
  );

  app.get(
    '/agencies/:agency_id',
    {
      config: { guard: reading },
      schema: { params: Type.Object({ agency_id: Id }), querystring: Type.Object({ done: Done }) },
    },
    async (request, reply) => {
      const shown = { ...request.params, ...request.query };
      return sendPage(reply, await readAgencyPage(server, request, reading.actor(request), shown));
    },
  );
}
