import {
  assignRole,
  deactivateUser,
  reactivateUser,
  resendInvitation,
  resetTwoFactor,
  type StaffChange,
} from '@case-platform/modules/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { hasRecentProof } from '../form/recent-proof.ts';
import { Id } from '../form/schemas.ts';
import { confirmPath } from '../guards/safe-next.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readUserPage } from './read-user-page.ts';
import { RoleChoice, readRoleChoice } from './role-choice.ts';
import { staffChange } from './staff-change.ts';

const params = Type.Object({ user_id: Id });
/** `version` is what the person had. */
const RoleForm = Type.Object({ admin_role_id: RoleChoice, version: Type.String({ maxLength: 1000, default: '' }) });

/** The buttons on a person's page, and the choice of their role. */
export function userChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_users' });
  const managing = guards.apiGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const options = { config: { guard: editing }, schema: { params } };

  app.post('/users/:user_id/resend-invitation', options, (request, reply) => {
    const change = { request, reply, actor: editing.actor(request), ...request.params };
    return answerChange(server, change, async (id, by) => {
      await resendInvitation(db, id, by);
      return 'resent';
    });
  });

  app.post('/users/:user_id/deactivate', options, (request, reply) => {
    const change = { request, reply, actor: editing.actor(request), ...request.params };
    return answerChange(server, change, async (id, by) => {
      await deactivateUser(db, id, by);
      return 'deactivated';
    });
  });

  app.post('/users/:user_id/reactivate', options, (request, reply) => {
    const change = { request, reply, actor: editing.actor(request), ...request.params };
    return answerChange(server, change, async (id, by) => {
      await reactivateUser(db, id, by);
      return 'reactivated';
    });
  });

  app.post('/users/:user_id/reset-two-factor', options, async (request, reply) => {
    const change = { request, reply, actor: editing.actor(request), ...request.params };
    if (!hasRecentProof(change.actor, now())) return reply.redirect(confirmPath(`/users/${change.user_id}`), 303);
    return answerChange(server, change, async (id, by) => {
      await resetTwoFactor(db, id, by);
      return 'two-factor';
    });
  });

  app.post(
    '/users/:user_id/role',
    { config: { guard: managing }, schema: { params, body: RoleForm } },
    (request, reply) => {
      const { admin_role_id, version: role } = readRoleChoice(request.body.admin_role_id);
      const seen = { role, held: request.body.version };
      const change = { request, reply, actor: managing.actor(request), ...request.params };
      return answerChange(server, change, async (user_id, by) => {
        const isActive = await assignRole(db, { user_id, admin_role_id, seen }, by);
        return isActive ? 'role' : 'role-asked';
      });
    },
  );
}

interface Change {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  user_id: number;
}

/** All of these forms stand on the person's page, and lead back to it. `change` returns what was done. */
function answerChange(
  server: AdminServer,
  { request, reply, actor, user_id }: Change,
  change: (userId: number, by: StaffChange) => Promise<string>,
): Promise<FastifyReply> {
  return answerForm(request, reply, {
    run: async () => `/users/${user_id}?done=${await change(user_id, staffChange(server.context, request, actor))}`,
    again: (refused) => readUserPage(server, request, actor, { user_id, refused }),
  });
}
