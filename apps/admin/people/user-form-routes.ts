import { NotFoundError } from '@case-platform/lib/errors';
import {
  type EditMails,
  editUser,
  findUser,
  findUserByPair,
  inviteUser,
  isFresh,
  listAgencyNames,
  type UserRecord,
} from '@case-platform/modules/accounts';
import { announceAddressRequest, announcePhoneChange, mailAddressLink } from '@case-platform/modules/notifications';
import { listRoleNames } from '@case-platform/modules/permissions';
import { USER_TYPES, type UserType } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import type { AdminContext } from '../context.ts';
import { Id } from '../form/schemas.ts';
import { ChoiceText, chosenId, FieldText, formProblem, isForForm, staffChange } from '../form/user-form-fields.ts';
import { confirmPath } from '../guards/safe-next.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { grantRole } from '../roles/granting-roles.ts';
import { sendInvitation } from './send-invitation.ts';
import { editUserPage, type FormProblem, invitePage, type UserFormValues } from './user-form.ts';

const UserId = Type.Object({ user_id: Id });
const RECORD = { email_address: FieldText, first_name: FieldText, last_name: FieldText, phone: FieldText };
const EditForm = Type.Object({ ...RECORD, agency_id: ChoiceText });
const InviteForm = Type.Object({
  ...RECORD,
  user_type: Type.Unsafe<UserType>({ type: 'string', enum: [...USER_TYPES] }),
  agency_id: ChoiceText,
  admin_role_id: ChoiceText,
});
const NOBODY: UserFormValues = {
  ...{ email_address: '', first_name: '', last_name: '', phone: '' },
  ...{ user_type: 'ip', agency_id: null, admin_role_id: null },
};

/** Inviting people, and changing their records. */
export function userFormRoutes(server: AdminServer): void {
  inviteRoutes(server);
  editRoutes(server);
}

function inviteRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'edit_users' });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_users' });

  app.get('/users/new', { config: { guard: reading } }, async (request, reply) =>
    sendPage(reply, await drawInvite(server, request, reading.actor(request), NOBODY)),
  );

  app.post('/users', { config: { guard: editing }, schema: { body: InviteForm } }, async (request, reply) => {
    const actor = editing.actor(request);
    const values = readInvite(request.body);
    try {
      const how = { send: sendInvitation(context, actor), grantRole: grantRole(context) };
      const id = await inviteUser(db, values, staffChange(context, request, actor), how);
      return reply.redirect(`/users/${id}?done=invited`, 303);
    } catch (error) {
      if (!isForForm(error)) throw error;
      const existing = error.code === 'user_exists' ? await findUserByPair(db, values) : null;
      const page = await drawInvite(server, request, actor, values, { ...formProblem(error), existing });
      return sendPage(reply.code(error.status), page);
    }
  });
}

/** The form has a field for each kind of person; what it hides for this one does not count. */
function readInvite({ agency_id, admin_role_id, ...rest }: Static<typeof InviteForm>): UserFormValues {
  const isAgencyPerson = rest.user_type === 'cm' || rest.user_type === 'owner';
  return {
    ...rest,
    agency_id: isAgencyPerson ? chosenId(agency_id) : null,
    admin_role_id: rest.user_type === 'admin' ? chosenId(admin_role_id) : null,
  };
}

async function drawInvite(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  values: UserFormValues,
  problem?: FormProblem,
): Promise<string> {
  const [agencies, roles, frame] = await Promise.all([
    listAgencyNames(context.db),
    listRoleNames(context.db),
    readFrame(context, request, actor),
  ]);
  return invitePage(frame, { values, agencies, roles, problem });
}

function editRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'edit_users' });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_users' });

  app.get(
    '/users/:user_id/edit',
    { config: { guard: reading }, schema: { params: UserId } },
    async (request, reply) => {
      const user = await getUser(server, request.params.user_id);
      const values = { ...user, phone: user.phone ?? '' };
      return sendPage(reply, await drawEdit(server, request, reading.actor(request), { user, values }));
    },
  );

  app.post(
    '/users/:user_id',
    { config: { guard: editing }, schema: { params: UserId, body: EditForm } },
    async (request, reply) => {
      const actor = editing.actor(request);
      const user = await getUser(server, request.params.user_id);
      const values = { ...request.body, agency_id: chosenId(request.body.agency_id) };
      if (isOwnAndStale(user, values, actor, context))
        return reply.redirect(confirmPath(`/users/${user.id}/edit`), 303);
      let asked: string | null;
      try {
        asked = await editUser(db, user.id, values, staffChange(context, request, actor), editMails(context, actor));
      } catch (error) {
        if (!isForForm(error)) throw error;
        const page = await drawEdit(server, request, actor, { user, values, problem: formProblem(error) });
        return sendPage(reply.code(error.status), page);
      }
      return reply.redirect(`/users/${user.id}?done=${asked === null ? 'saved' : 'asked'}`, 303);
    },
  );
}

/** One's own address and number are changed by whoever has proven who they are, here as on the account page. */
function isOwnAndStale(
  user: UserRecord,
  { email_address, phone }: Pick<UserFormValues, 'email_address' | 'phone'>,
  actor: StaffActor,
  { now = () => new Date() }: AdminContext,
): boolean {
  if (user.id !== actor.user.id || isFresh(actor.session.confirmed_at, now())) return false;
  return email_address !== user.email_address || phone !== (user.phone ?? '');
}

function editMails(context: AdminContext, actor: StaffActor): EditMails {
  return {
    sendInvitation: sendInvitation(context, actor),
    sendLink: (tx, user, asked) => mailAddressLink(tx, { user, ...asked }, context.config),
    announce: announceAddressRequest,
    announcePhone: announcePhoneChange,
  };
}

async function getUser({ context }: AdminServer, userId: number): Promise<UserRecord> {
  const user = await findUser(context.db, userId);
  if (user === null) throw new NotFoundError();
  return user;
}

async function drawEdit(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  view: Omit<Parameters<typeof editUserPage>[1], 'agencies'>,
): Promise<string> {
  const [agencies, frame] = await Promise.all([listAgencyNames(context.db), readFrame(context, request, actor)]);
  return editUserPage(frame, { ...view, agencies });
}
