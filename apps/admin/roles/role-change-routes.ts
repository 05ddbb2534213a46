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
} from '@case-platform/modules/accounts';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import { readRoleListPage, readRolePage } from './read-role-pages.ts';

const PERMISSIONS_MAX = 200;
const RoleId = Type.Object({ role_id: Id });
/** Longer than a name may be, so that a name that is too long comes back in the form. */
const Name = Type.String({ maxLength: 2000, default: '' });
const Version = Type.String({ maxLength: 100, default: '' });
/** A change names the role as it was seen (ROLE-5). */
const SeenVersion = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Value = { type: 'string', maxLength: 100 };
const PermissionForm = Type.Object({
  version: Version,
  // A form sends one tick as a text, several as a list, none not at all.
  permissions: Type.Optional(
    Type.Unsafe<string | string[]>({ anyOf: [Value, { type: 'array', items: Value, maxItems: PERMISSIONS_MAX }] }),
  ),
});

/** Creates, renames, and deletes roles, and sets their permissions (ROLE-4). */
export function roleChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const config = { guard: editing };

  app.post('/roles', { config, schema: { body: Type.Object({ name: Name }) } }, (request, reply) => {
    const actor = editing.actor(request);
    return answerForm(request, reply, {
      run: async () => {
        const id = await createRole(db, request.body.name, changedBy(request, actor));
        return `/roles/${id}?done=created`;
      },
      again: (refused) => readRoleListPage(server, request, actor, { refused }),
    });
  });

  app.post(
    '/roles/:role_id/name',
    { config, schema: { params: RoleId, body: Type.Object({ version: Version, name: Name }) } },
    (request, reply) => {
      const actor = editing.actor(request);
      const { role_id } = request.params;
      const { version, name } = request.body;
      return answerForm(request, reply, {
        run: async () => {
          await renameRole(db, { id: role_id, version }, name, changedBy(request, actor));
          return `/roles/${role_id}?done=renamed`;
        },
        again: (refused) => readRolePage(server, request, actor, { role_id, refused }),
      });
    },
  );

  app.post('/roles/:role_id/permissions', { config, schema: { params: RoleId, body: PermissionForm } }, (request, reply) => {
    const actor = editing.actor(request);
    const { role_id } = request.params;
    const { version, permissions = [] } = request.body;
    return answerForm(request, reply, {
      run: async () => {
        const role = { id: role_id, version };
        const by = changedBy(request, actor);
        const waits = await setRolePermissions(db, role, [permissions].flat(), by, context.config);
        return `/roles/${role_id}?done=${waits ? 'asked' : 'permissions'}`;
      },
      again: (refused) => readRolePage(server, request, actor, { role_id, refused }),
    });
  });

  app.post('/roles/:role_id/delete', { config, schema: { params: RoleId } }, (request, reply) => {
    const actor = editing.actor(request);
    const { role_id } = request.params;
    return answerForm(request, reply, {
      run: async () => {
        await deleteRole(db, role_id, changedBy(request, actor));
        return '/roles?done=deleted';
      },
      again: (refused) => readRolePage(server, request, actor, { role_id, refused }),
    });
  });
}

/** A role that may move money waits for another administrator, who confirms or refuses it. */
export function roleGrantRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const schema = { params: Type.Object({ grant_id: Id }), body: Type.Object({ version: SeenVersion }) };
  const decide = (path: string, done: string, decision: (seen: SeenGrant, by: ChangedBy) => Promise<DecidedGrant>) =>
    app.post(`/roles/grants/:grant_id/${path}`, { config: { guard }, schema }, (request, reply) => {
      const actor = guard.actor(request);
      const seen = { id: request.params.grant_id, ...request.body };
      return answerForm(request, reply, {
        run: async () => {
          const { user_id, admin_role_id } = await decision(seen, changedBy(request, actor));
          return `${user_id === null ? `/roles/${admin_role_id}` : `/users/${user_id}`}?done=${done}`;
        },
        again: (refused) => readRoleListPage(server, request, actor, { refused }),
      });
    });
  decide('confirm', 'confirmed', (seen, by) => confirmGrant(db, seen, by, context.config));
  decide('refuse', 'refused', (seen, by) => refuseGrant(db, seen, by));
}
