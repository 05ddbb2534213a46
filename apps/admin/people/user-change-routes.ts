import { assignRole, deactivateUser, reactivateUser, resendInvitation, resetTwoFactor } from '@case-platform/modules/accounts';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { Id } from '../form/schemas.ts';
import { readUserPage } from './read-user-page.ts';
import { parseRoleChoice, RoleChoice } from './role-choice.ts';
import { staffChange } from './staff-change.ts';

const params = Type.Object({ user_id: Id });
/** `version` names the role that the person had when the form was shown. */
const RoleForm = Type.Object({ admin_role_id: RoleChoice, version: Type.String({ maxLength: 1000, default: '' }) });

/** The buttons on a person's page, and the choice of their role. */
export function userChangeRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_users' });
  const managing = guards.apiGuard({ user_types: ['admin'], perm_check: 'manage_roles' });
  const page: FormPage<Static<typeof params>> = {
    path: ({ user_id }) => `/users/${user_id}`,
    readRefused: ({ request, actor, params: { user_id } }, refused) => readUserPage(server, request, actor, { user_id, refused }),
  };

  formRoute(server, page, '/users/:user_id/resend-invitation', {
    guard: editing,
    mails: { invitation: 'invitation' },
    params,
    done: 'resent',
    run: (form) => resendInvitation(db, form.params.user_id, staffChange(context, form)),
  });

  formRoute(server, page, '/users/:user_id/deactivate', {
    guard: editing,
    mails: { disbursement_submitted: 'request-submitted' },
    params,
    done: 'deactivated',
    run: (form) => deactivateUser(db, form.params.user_id, staffChange(context, form)),
  });

  formRoute(server, page, '/users/:user_id/reactivate', {
    guard: editing,
    params,
    done: 'reactivated',
    run: (form) => reactivateUser(db, form.params.user_id, staffChange(context, form)),
  });

  formRoute(server, page, '/users/:user_id/reset-two-factor', {
    guard: editing,
    mails: { two_factor_changed: 'two-factor-reset' },
    params,
    done: 'two-factor',
    needsRecentProof: true,
    run: (form) => resetTwoFactor(db, form.params.user_id, staffChange(context, form)),
  });

  formRoute(server, page, '/users/:user_id/role', {
    guard: managing,
    mails: { role_granted: 'role-granted', disbursement_submitted: 'request-submitted' },
    params,
    body: RoleForm,
    done: (isActive) => (isActive ? 'role' : 'role-asked'),
    run: (form) => {
      const { admin_role_id, version: role } = parseRoleChoice(form.body.admin_role_id);
      const seen = { role, assignment: form.body.version };
      return assignRole(db, { user_id: form.params.user_id, admin_role_id, seen }, staffChange(context, form));
    },
  });
}
