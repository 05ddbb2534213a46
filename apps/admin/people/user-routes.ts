import { listAgencyNames, listUsers, USER_STATUSES } from '@case-platform/modules/accounts';
import { listRoleNames } from '@case-platform/modules/permissions';
import { openPhotoId } from '@case-platform/modules/storage';
import { SEARCH_MAX } from '@case-platform/words/limits';
import { USER_TYPES } from '@case-platform/words/user-types';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { maySeeContacts } from './contact-parts.ts';
import { drawUser } from './draw-user.ts';
import { type UserListQuery, userListPage } from './user-list.ts';

const ListQuery = Type.Object({
  q: Type.Optional(Type.String({ maxLength: SEARCH_MAX })),
  user_type: Type.Optional(Type.Unsafe<UserListQuery['user_type']>({ type: 'string', enum: [...USER_TYPES] })),
  status: Type.Optional(Type.Unsafe<UserListQuery['status']>({ type: 'string', enum: [...USER_STATUSES] })),
  agency_id: Type.Optional(Id),
  role_id: Type.Optional(Id),
  cursor: Type.Optional(Id),
});

const DONE = new Map([
  ['invited', 'The invitation is on its way.'],
  ['resent', 'The invitation is on its way once more. Links in earlier mails no longer work.'],
  ['saved', 'The record is saved.'],
  ['asked', 'The record is saved. The new address counts once they follow the link that we sent to it.'],
  ['role', 'The role is changed. It works from their next click.'],
  ['role-asked', 'This role can move money. It starts once another administrator confirms it.'],
  ['confirmed', 'Confirmed. The role works from their next click.'],
  ['refused', 'Refused. The role stays as it was.'],
  ['deactivated', 'The account is deactivated. They are signed out everywhere.'],
  ['reactivated', 'The account is open again.'],
  ['two-factor', 'Two-factor sign-in is off. We tell them by email.'],
]);

/** Everyone on record, found by name, address and role, and each of them on a page. */
export function userRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, storage, now = () => new Date() } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'view_users' });
  // An identity paper is nothing that just any admin reads along.
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
        querystring: Type.Object({ done: Type.Optional(Type.String({ maxLength: 20 })) }),
      },
    },
    async (request, reply) => {
      const done = DONE.get(request.query.done ?? '');
      return sendPage(reply, await drawUser(server, request, reading.actor(request), { ...request.params, done }));
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
