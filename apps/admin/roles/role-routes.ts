import { getRole, listRoleGrants, listRoleMembers, listRoles } from '@case-platform/modules/permissions';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { Id } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { type RoleListView, roleListPage } from './role-list.ts';
import { type RoleView, rolePage } from './role-page.ts';

const Done = Type.Object({ done: Type.Optional(Type.String({ maxLength: 20 })) });
const DONE = new Map([
  ['created', 'The role is added. Choose what it allows.'],
  ['renamed', 'The role has its new name.'],
  ['permissions', 'Saved. It works from the next click of everyone who has this role.'],
  ['asked', 'Saved. Permissions that can move money start once another administrator confirms them.'],
  ['confirmed', 'Confirmed. It works from now on.'],
  ['refused', 'Refused. Nothing was changed.'],
  ['deleted', 'The role is deleted.'],
]);

/** The roles of staff (decisions, section 9). */
export function roleRoutes(server: AdminServer): void {
  const { app, guards } = server;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const config = { guard: reading };

  app.get('/roles', { config, schema: { querystring: Done } }, async (request, reply) => {
    const done = DONE.get(request.query.done ?? '');
    return sendPage(reply, await drawRoles(server, request, reading.actor(request), { done }));
  });

  app.get(
    '/roles/:role_id',
    { config, schema: { params: Type.Object({ role_id: Id }), querystring: Done } },
    async (request, reply) => {
      const said = { role_id: request.params.role_id, done: DONE.get(request.query.done ?? '') };
      return sendPage(reply, await drawRole(server, request, reading.actor(request), said));
    },
  );
}

/** The page with all roles. */
export async function drawRoles(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  said: Omit<RoleListView, 'roles' | 'grants'>,
): Promise<string> {
  const [roles, grants, frame] = await Promise.all([
    listRoles(context.db),
    actor.admin.can('manage_roles') ? listRoleGrants(context.db, actor.user) : [],
    readFrame(context, request, actor),
  ]);
  return roleListPage(frame, { roles, grants, ...said });
}

type RoleToDraw = { role_id: number } & Pick<RoleView, 'done' | 'problem'>;

/** The page of one role as it is now. @throws {NotFoundError} for a role that does not exist. */
export async function drawRole(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { role_id, ...said }: RoleToDraw,
): Promise<string> {
  const { db } = context;
  const role = await getRole(db, role_id);
  const [members, grants, frame] = await Promise.all([
    listRoleMembers(db, role_id),
    actor.admin.can('manage_roles') ? listRoleGrants(db, actor.user, { admin_role_id: role_id }) : [],
    readFrame(context, request, actor),
  ]);
  return rolePage(frame, { role, members, grants, ...said });
}
