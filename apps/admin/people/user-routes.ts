import { listAgencyNames, listRoleNames, listUsers, USER_STATUSES } from '@case-platform/modules/accounts';
import { openPhotoId } from '@case-platform/modules/storage';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { USER_TYPES } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Done, Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { readUserPage } from './read-user-page.ts';
import { type UserListQuery, userListPage } from './user-list.ts';

const ListQuery = Type.Object({
  q: Type.Optional(Type.String({ maxLength: SEARCH_MAX })),
  user_type: Type.Optional(Type.Unsafe<UserListQuery['user_type']>({ type: 'string', enum: [...USER_TYPES] })),
  status: Type.Optional(Type.Unsafe<UserListQuery['status']>({ type: 'string', enum: [...USER_STATUSES] })),
  agency_id: Type.Optional(Id),
  role_id: Type.Optional(Id),
  cursor: Type.Optional(Id),
});

/** The list of people, and the page of one. */
export function userRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, storage, now } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_users' });
  // An ID is not for any admin to read: the API guard keeps out those without the permission.
  const looking = guards.apiGuard({ user_types: ['admin'], perm_check: 'view_users' });

  app.get('/users', { config: { guard: reading }, schema: { querystring: ListQuery } }, async (request, reply) => {
    const { query } = request;
    const byAddress = maySeeContacts(reading.actor(request));
    const [{ data, next_cursor }, agencies, roles, frame] = await Promise.all([
      listUsers(db, { ...query, byAddress }),
      listAgencyNames(db),
      listRoleNames(db),
      readFrame(context, request, reading.actor(request)),
    ]);
    return sendPage(reply, userListPage(frame, { users: data, next_cursor, agencies, roles, query }));
  });

  app.get(
    '/users/:user_id',
    {
      config: { guard: reading },
      schema: {
        params: Type.Object({ user_id: Id }),
        querystring: Type.Object({ done: Done }),
      },
    },
    async (request, reply) => {
      const shown = { ...request.params, ...request.query };
      return sendPage(reply, await readUserPage(server, request, reading.actor(request), shown));
    },
  );

  app.get(
    '/users/:user_id/photo-id',
    { config: { guard: looking }, schema: { params: Type.Object({ user_id: Id }) } },
    async (request, reply) => {
      const by = changedBy(request, looking.actor(request));
      return reply.redirect(await openPhotoId({ db, storage }, request.params.user_id, by, now()), 303);
    },
  );
}
