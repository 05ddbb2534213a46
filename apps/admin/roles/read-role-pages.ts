import type { Html } from '@case-platform/lib/html';
import { getRole, listRoleGrants, listRoleMembers, listRoles } from '@case-platform/modules/accounts';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { roleListPage } from './role-list.ts';
import { rolePage } from './role-page.ts';

const DONE = new Map([
  ['created', 'The role was added. Choose what it allows.'],
  ['renamed', 'The role was renamed.'],
  ['permissions', 'Saved. Changes work right away.'],
  ['asked', 'Saved. Permissions that can move money start once another administrator confirms them.'],
  ['confirmed', 'Confirmed. It works right away.'],
  ['refused', 'Refused. Nothing was changed.'],
  ['deleted', 'The role was deleted.'],
]);

interface Shown {
  done?: string | undefined;
  refused?: RefusedForm;
}

/** Reads the page with all roles. */
export async function readRoleListPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { done, refused }: Shown,
): Promise<Html> {
  const [roles, grants, frame] = await Promise.all([
    listRoles(context.db),
    actor.admin.can('manage_roles') ? listRoleGrants(context.db, actor.user) : [],
    readFrame(context, request, actor),
  ]);
  return roleListPage(frame, { roles, grants, done: DONE.get(done ?? ''), refused });
}

/** Reads the page of one role as it is now. @throws {NotFoundError} for a role that does not exist. */
export async function readRolePage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { role_id, done, refused }: Shown & { role_id: number },
): Promise<Html> {
  const { db } = context;
  const role = await getRole(db, role_id);
  const [members, grants, frame] = await Promise.all([
    listRoleMembers(db, role_id),
    actor.admin.can('manage_roles') ? listRoleGrants(db, actor.user, { admin_role_id: role_id }) : [],
    readFrame(context, request, actor),
  ]);
  return rolePage(frame, { role, members, grants, done: DONE.get(done ?? ''), refused });
}
