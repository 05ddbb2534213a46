import { createRole, deleteRole, renameRole, setRolePermissions } from '@case-platform/modules/permissions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { changedBy } from '../changed-by.ts';
import { markRefused, refusalOf } from '../refusal.ts';
import { Id } from '../schemas.ts';
import { sendPage } from '../send-page.ts';
import { drawRole, drawRoles } from './roles.ts';

const PERMISSIONS_MAX = 200;
const RoleId = Type.Object({ role_id: Id });
/** Longer than a name may be, so that one that is too long comes back to its writer. */
const Name = Type.String({ maxLength: 2000, default: '' });
const Version = Type.String({ maxLength: 100, default: '' });
const Value = { type: 'string', maxLength: 100 };
const PermissionForm = Type.Object({
  version: Version,
  // A form sends one tick as a text, several as a list, none not at all.
  permissions: Type.Optional(
    Type.Unsafe<string | string[]>({ anyOf: [Value, { type: 'array', items: Value, maxItems: PERMISSIONS_MAX }] }),
  ),
});

/** Making, renaming and deleting roles, and what they allow (decisions, section 9). */
export function roleChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const config = { guard: editing };

  app.post('/roles', { config, schema: { body: Type.Object({ name: Name }) } }, async (request, reply) => {
    const actor = editing.actor(request);
    const { name } = request.body;
    try {
      const id = await createRole(db, name, changedBy(request, actor));
      return reply.redirect(`/roles/${id}?done=created`, 303);
    } catch (error) {
      const refusal = refusalOf(error);
      const failed = { name, problem: refusal.words };
      return sendPage(markRefused(reply, refusal), await drawRoles(server, request, actor, { failed }));
    }
  });

  app.post(
    '/roles/:role_id/name',
    { config, schema: { params: RoleId, body: Type.Object({ version: Version, name: Name }) } },
    (request, reply) =>
      change(request, reply, request.params, async (id) => {
        const { version, name } = request.body;
        await renameRole(db, { id, version }, name, changedBy(request, editing.actor(request)));
        return `/roles/${id}?done=renamed`;
      }),
  );

  app.post(
    '/roles/:role_id/permissions',
    { config, schema: { params: RoleId, body: PermissionForm } },
    (request, reply) =>
      change(request, reply, request.params, async (id) => {
        const { version, permissions = [] } = request.body;
        const by = changedBy(request, editing.actor(request));
        await setRolePermissions(db, { id, version }, [permissions].flat(), by);
        return `/roles/${id}?done=permissions`;
      }),
  );

  app.post('/roles/:role_id/delete', { config, schema: { params: RoleId } }, (request, reply) =>
    change(request, reply, request.params, async (id) => {
      await deleteRole(db, id, changedBy(request, editing.actor(request)));
      return '/roles?done=deleted';
    }),
  );

  /** Makes a change and leads on, or shows the role as it is now with the reason why not. */
  async function change(
    request: FastifyRequest,
    reply: FastifyReply,
    { role_id }: { role_id: number },
    make: (roleId: number) => Promise<string>,
  ): Promise<FastifyReply> {
    try {
      return reply.redirect(await make(role_id), 303);
    } catch (error) {
      const refusal = refusalOf(error);
      const page = await drawRole(server, request, editing.actor(request), { role_id, problem: refusal.words });
      return sendPage(markRefused(reply, refusal), page);
    }
  }
}
