import {
  assignRole,
  deactivateUser,
  reactivateUser,
  resendInvitation,
  resetTwoFactor,
  type StaffChange,
} from '@case-platform/modules/accounts';
import { announceTwoFactorReset } from '@case-platform/modules/notifications';
import { keepRoleManager } from '@case-platform/modules/permissions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { ChoiceText, chosenId, staffChange } from '../form/user-form-fields.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { sendPage } from '../page/send-page.ts';
import { grantRole } from '../roles/granting-roles.ts';
import { drawUser } from './draw-user.ts';
import { sendInvitation } from './send-invitation.ts';

const params = Type.Object({ user_id: Id });
const RoleForm = Type.Object({ admin_role_id: ChoiceText });

/** What is done to an account by one press of a button. What refuses it stands over the page that comes back. */
export function userChangeRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_users' });
  const managing = guards.apiGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const options = { config: { guard: editing }, schema: { params } };

  app.post('/users/:user_id/resend-invitation', options, (request, reply) => {
    const actor = editing.actor(request);
    return change(server, { request, reply, actor, user_id: request.params.user_id, done: 'resent' }, (id, by) =>
      resendInvitation(db, id, by, sendInvitation(context, actor)),
    );
  });

  app.post('/users/:user_id/deactivate', options, (request, reply) => {
    const step = { request, reply, actor: editing.actor(request), ...request.params, done: 'deactivated' };
    return change(server, step, (id, by) => deactivateUser(db, id, by, keepRoleManager));
  });

  app.post('/users/:user_id/reactivate', options, (request, reply) => {
    const step = { request, reply, actor: editing.actor(request), ...request.params, done: 'reactivated' };
    return change(server, step, (id, by) => reactivateUser(db, id, by, grantRole(context)));
  });

  app.post('/users/:user_id/reset-two-factor', options, (request, reply) => {
    const step = { request, reply, actor: editing.actor(request), ...request.params, done: 'two-factor' };
    return change(server, step, (id, by) => resetTwoFactor(db, id, by, announceTwoFactorReset));
  });

  app.post(
    '/users/:user_id/role',
    { config: { guard: managing }, schema: { params, body: RoleForm } },
    (request, reply) => {
      const admin_role_id = chosenId(request.body.admin_role_id);
      const step = { request, reply, actor: managing.actor(request), ...request.params, done: 'role' };
      const how = { keepRoleManager, grantRole: grantRole(context) };
      return change(server, step, async (user_id, by) =>
        (await assignRole(db, { user_id, admin_role_id }, by, how)) ? 'role' : 'role-asked',
      );
    },
  );
}

interface Step {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  user_id: number;
  /** What the page says afterwards. */
  done: string;
}

async function change(
  server: AdminServer,
  { request, reply, actor, user_id, done }: Step,
  /** Says what the page says afterwards, where it depends on what came of it. */
  work: (userId: number, by: StaffChange) => Promise<unknown>,
): Promise<FastifyReply> {
  try {
    const came = await work(user_id, staffChange(server.context, request, actor));
    return reply.redirect(`/users/${user_id}?done=${typeof came === 'string' ? came : done}`, 303);
  } catch (error) {
    const refusal = refusalOf(error);
    const page = await drawUser(server, request, actor, { user_id, problem: refusal.words });
    return sendPage(markRefused(reply, refusal), page);
  }
}
