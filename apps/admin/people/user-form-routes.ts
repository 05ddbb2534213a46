import { NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import {
  assignmentVersion,
  editUser,
  findUser,
  findUserByPair,
  inviteUser,
  listAgencyNames,
  listRoleNames,
  type UserRecord,
} from '@case-platform/modules/accounts';
import { announceName } from '@case-platform/modules/cases';
import { leaveChainsOfOtherAgencies } from '@case-platform/modules/messaging';
import { USER_TYPES, type UserType } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { requireRecentProof } from '../form/recent-proof.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { ChoiceText, chosenId, FieldText, Id } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { parseRoleChoice, RoleChoice } from './role-choice.ts';
import { staffChange } from './staff-change.ts';
import { editUserPage, invitePage } from './user-form.ts';

const params = Type.Object({ user_id: Id });
const RECORD = { email_address: FieldText, first_name: FieldText, last_name: FieldText, phone: FieldText };
const EditForm = Type.Object({ ...RECORD, agency_id: ChoiceText });
const InviteForm = Type.Object({
  ...RECORD,
  user_type: Type.Unsafe<UserType>({ type: 'string', enum: [...USER_TYPES] }),
  agency_id: ChoiceText,
  admin_role_id: RoleChoice,
});

/** Inviting people, and changing their records. */
export function userFormRoutes(server: AdminServer): void {
  inviteRoutes(server);
  editRoutes(server);
}

function inviteRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'edit_users', closed: 'invitation' });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_users' });

  app.get('/users/new', { config: { guard: reading } }, async (request, reply) => {
    const actor = reading.actor(request);
    return sendPage(reply, await readInvitePage(request, actor));
  });

  const page: FormPage<unknown, Static<typeof InviteForm>> = {
    path: () => '/users/new',
    readRefused: async ({ request, actor, body }, refused) => {
      const existing = refused.code === 'user_exists' ? await findUserByPair(db, body) : null;
      return readInvitePage(request, actor, { refused, existing });
    },
  };
  formRoute(server, page, '/users', {
    guard: editing,
    mails: { invitation: 'invitation', role_granted: 'role-granted' },
    body: InviteForm,
    run: async (form) => {
      const { person, seen } = parseInvite(form.body);
      return inviteUser(db, person, staffChange(context, form), seen);
    },
    next: (id) => `/users/${id}?done=invited`,
  });

  async function readInvitePage(
    request: FastifyRequest,
    actor: StaffActor,
    again: { refused?: RefusedForm; existing?: { id: number } | null } = {},
  ): Promise<Html> {
    const [agencies, roles, frame] = await Promise.all([
      listAgencyNames(db),
      listRoleNames(db),
      readFrame(context, request, actor),
    ]);
    return invitePage(frame, { agencies, roles, ...again });
  }
}

/** The form has fields for every type of person. Those that it hides for the chosen type are ignored. */
function parseInvite({ agency_id, admin_role_id, ...rest }: Static<typeof InviteForm>) {
  const isAgencyPerson = rest.user_type === 'cm' || rest.user_type === 'owner';
  const { admin_role_id: role, version } = parseRoleChoice(admin_role_id);
  const person = {
    ...rest,
    agency_id: isAgencyPerson ? chosenId(agency_id) : null,
    admin_role_id: rest.user_type === 'admin' ? role : null,
  };
  return { person, seen: { role: version, assignment: assignmentVersion(null, []) } };
}

function editRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'edit_users', closed: 'person_form' });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_users' });

  app.get('/users/:user_id/edit', { config: { guard: reading }, schema: { params } }, async (request, reply) => {
    const actor = reading.actor(request);
    return sendPage(reply, await readEditPage(request, actor, await getUser(request.params.user_id)));
  });

  const page: FormPage<Static<typeof params>> = {
    path: ({ user_id }) => `/users/${user_id}/edit`,
    readRefused: async ({ request, actor, params: { user_id } }, refused) =>
      readEditPage(request, actor, await getUser(user_id), refused),
  };
  formRoute(server, page, '/users/:user_id', {
    guard: editing,
    mails: {
      phone_changed: 'phone-changed',
      address_link: 'address-link',
      address_changed: 'address-changed',
      name_changed: 'name-changed',
    },
    params,
    body: EditForm,
    run: async (form) => {
      const user = await getUser(form.params.user_id);
      const record = { ...form.body, agency_id: chosenId(form.body.agency_id) };
      const by = staffChange(context, form);
      if (isReachedElsewhere(user, record)) requireRecentProof(form.actor, by.now);
      return editUser(db, user.id, record, by, {
        announceName,
        leaveChains: (tx, user_id) => leaveChainsOfOtherAgencies(tx, { user_id }),
      });
    },
    next: (newAddress, { params: { user_id } }) => `/users/${user_id}?done=${newAddress === null ? 'saved' : 'asked'}`,
  });

  async function getUser(userId: number): Promise<UserRecord> {
    const user = await findUser(db, userId);
    if (user === null) throw new NotFoundError();
    return user;
  }

  async function readEditPage(
    request: FastifyRequest,
    actor: StaffActor,
    user: UserRecord,
    refused?: RefusedForm,
  ): Promise<Html> {
    const [agencies, frame] = await Promise.all([listAgencyNames(db), readFrame(context, request, actor)]);
    return editUserPage(frame, { user, agencies, refused });
  }
}

/** Whether the address or phone number changes. Their owner can sign in, and is notified of changes. */
function isReachedElsewhere(
  user: UserRecord,
  { email_address, phone }: Pick<Static<typeof EditForm>, 'email_address' | 'phone'>,
): boolean {
  return email_address !== user.email_address || phone !== (user.phone ?? '');
}
