import type { ChangedBy } from '@case-platform/lib/audit';
import {
  confirmGrant,
  createRole,
  type DecidedGrant,
  deleteRole,
  refuseGrant,
  renameRole,
  type SeenGrant,
  setRolePermissions,
} from '@case-platform/modules/permissions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { sendPage } from '../page/send-page.ts';
import { telling } from './granting-roles.ts';
import { drawRole, drawRoles } from './role-routes.ts';

const PERMISSIONS_MAX = 200;
const RoleId = Type.Object({ role_id: Id });
/** Longer than a name may be, so that one that is too long comes back to its writer. */
const Name = Type.String({ maxLength: 2000, default: '' });
const Version = Type.String({ maxLength: 100, default: '' });
/** What was seen is what is decided (decisions, section 11). */
const SeenVersion = Type.String({ pattern: '^[0-9a-f]{64}$' });
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
        const waits = await setRolePermissions(db, { id, version }, [permissions].flat(), by, telling(context));
        return `/roles/${id}?done=${waits ? 'asked' : 'permissions'}`;
      }),
  );

  app.post('/roles/:role_id/delete', { config, schema: { params: RoleId } }, (request, reply) =>
    change(request, reply, request.params, async (id) => {
      await deleteRole(db, id, changedBy(request, editing.actor(request)));
      return '/roles?done=deleted';
    }),
  );

  const decide = (path: string, done: string, work: (seen: SeenGrant, by: ChangedBy) => Promise<DecidedGrant>) =>
    app.post(
      `/roles/grants/:grant_id/${path}`,
      { config, schema: { params: Type.Object({ grant_id: Id }), body: Type.Object({ version: SeenVersion }) } },
      async (request, reply) => {
        const actor = editing.actor(request);
        const seen = { id: request.params.grant_id, ...request.body };
        try {
          const { user_id, admin_role_id } = await work(seen, changedBy(request, actor));
          const page = user_id === null ? `/roles/${admin_role_id}` : `/users/${user_id}`;
          return reply.redirect(`${page}?done=${done}`, 303);
        } catch (error) {
          const refusal = refusalOf(error);
          const page = await drawRoles(server, request, actor, { problem: refusal.words });
          return sendPage(markRefused(reply, refusal), page);
        }
      },
    );
  decide('confirm', 'confirmed', (seen, by) => confirmGrant(db, seen, by, telling(context)));
  decide('refuse', 'refused', (seen, by) => refuseGrant(db, seen, by));

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
