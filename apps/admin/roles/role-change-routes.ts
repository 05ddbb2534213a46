import {
  confirmGrant,
  createRole,
  type DecidedGrant,
  deleteRole,
  refuseGrant,
  renameRole,
  setRolePermissions,
} from '@case-platform/modules/accounts';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { Id } from '../form/schemas.ts';
import { readRoleListPage, readRolePage } from './read-role-pages.ts';

const PERMISSIONS_MAX = 200;
const params = Type.Object({ role_id: Id });
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
  const { context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const page: FormPage<Static<typeof params>> = {
    path: ({ role_id }) => `/roles/${role_id}`,
    readRefused: ({ request, actor, params: { role_id } }, refused) => readRolePage(server, request, actor, { role_id, refused }),
  };

  formRoute(server, listPage(server), '/roles', {
    guard,
    body: Type.Object({ name: Name }),
    run: ({ body, by }) => createRole(db, body.name, by),
    next: (id) => `/roles/${id}?done=created`,
  });

  formRoute(server, page, '/roles/:role_id/name', {
    guard,
    params,
    body: Type.Object({ version: Version, name: Name }),
    done: 'renamed',
    run: ({ params: { role_id: id }, body: { version, name }, by }) => renameRole(db, { id, version }, name, by),
  });

  formRoute(server, page, '/roles/:role_id/permissions', {
    guard,
    mails: { role_granted: 'role-granted', disbursement_submitted: 'request-submitted' },
    params,
    body: PermissionForm,
    done: (isWaiting) => (isWaiting ? 'asked' : 'permissions'),
    run: ({ params: { role_id: id }, body: { version, permissions = [] }, by }) =>
      setRolePermissions(db, { id, version }, [permissions].flat(), by, context.config),
  });

  formRoute(server, page, '/roles/:role_id/delete', {
    guard,
    mails: { disbursement_submitted: 'request-submitted' },
    params,
    run: ({ params: { role_id }, by }) => deleteRole(db, role_id, by),
    next: () => '/roles?done=deleted',
  });
}

/** A role that may move money waits for another administrator, who confirms or refuses it. */
export function roleGrantRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const params = Type.Object({ grant_id: Id });
  const body = Type.Object({ version: SeenVersion });
  const page = listPage(server);

  formRoute(server, page, '/roles/grants/:grant_id/confirm', {
    guard,
    mails: { role_granted: 'role-granted', disbursement_submitted: 'request-submitted' },
    params,
    body,
    run: ({ params: { grant_id: id }, body: { version }, by }) => confirmGrant(db, { id, version }, by, context.config),
    next: (grant) => `${pathOfGrant(grant)}?done=confirmed`,
  });

  formRoute(server, page, '/roles/grants/:grant_id/refuse', {
    guard,
    params,
    body,
    run: ({ params: { grant_id: id }, body: { version }, by }) => refuseGrant(db, { id, version }, by),
    next: (grant) => `${pathOfGrant(grant)}?done=refused`,
  });
}

/** The page with all roles and the waiting grants. */
function listPage(server: AdminServer): FormPage<unknown> {
  return {
    path: () => '/roles',
    readRefused: ({ request, actor }, refused) => readRoleListPage(server, request, actor, { refused }),
  };
}

/** A grant gives a role to a person, or permissions to a role. */
function pathOfGrant({ user_id, admin_role_id }: DecidedGrant): string {
  return user_id === null ? `/roles/${admin_role_id}` : `/users/${user_id}`;
}
