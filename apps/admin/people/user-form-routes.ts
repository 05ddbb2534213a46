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
import { answerForm, type RefusedForm } from '../form/answer-form.ts';
import { requireRecentProof } from '../form/recent-proof.ts';
import { ChoiceText, chosenId, FieldText, Id } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { RoleChoice, readRoleChoice } from './role-choice.ts';
import { staffChange } from './staff-change.ts';
import { editUserPage, invitePage } from './user-form.ts';

const UserId = Type.Object({ user_id: Id });
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

function inviteRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'edit_users', closed: 'invitation' });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_users' });

  app.get('/users/new', { config: { guard: reading } }, async (request, reply) => {
    const actor = reading.actor(request);
    return sendPage(reply, await readInvitePage(request, actor));
  });

  app.post('/users', { config: { guard: editing }, schema: { body: InviteForm } }, (request, reply) => {
    const actor = editing.actor(request);
    const { person, seen } = readInvite(request.body);
    return answerForm(request, reply, {
      run: async () => {
        const id = await inviteUser(db, person, staffChange(context, request, actor), seen);
        return `/users/${id}?done=invited`;
      },
      again: async (refused) => {
        const existing = refused.code === 'user_exists' ? await findUserByPair(db, person) : null;
        return readInvitePage(request, actor, { refused, existing });
      },
    });
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

/** The form has a field for each kind of person; what it hides for this one does not count. */
function readInvite({ agency_id, admin_role_id, ...rest }: Static<typeof InviteForm>) {
  const isAgencyPerson = rest.user_type === 'cm' || rest.user_type === 'owner';
  const { admin_role_id: role, version } = readRoleChoice(admin_role_id);
  const person = {
    ...rest,
    agency_id: isAgencyPerson ? chosenId(agency_id) : null,
    admin_role_id: rest.user_type === 'admin' ? role : null,
  };
  return { person, seen: { role: version, assignment: assignmentVersion(null, []) } };
}

function editRoutes({ app, context, guards }: AdminServer): void {
  const { db } = context;
  const reading = guards.pageGuard({ user_types: ['admin'], perm_check: 'edit_users', closed: 'person_form' });
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_users' });

  app.get('/users/:user_id/edit', { config: { guard: reading }, schema: { params: UserId } }, async (request, reply) => {
    const actor = reading.actor(request);
    return sendPage(reply, await readEditPage(request, actor, await getUser(request.params.user_id)));
  });

  app.post(
    '/users/:user_id',
    { config: { guard: editing }, schema: { params: UserId, body: EditForm } },
    async (request, reply) => {
      const actor = editing.actor(request);
      const user = await getUser(request.params.user_id);
      const record = { ...request.body, agency_id: chosenId(request.body.agency_id) };
      return answerForm(request, reply, {
        run: async () => {
          const by = staffChange(context, request, actor);
          if (isReachedElsewhere(user, record)) requireRecentProof(actor, by.now);
          const newAddress = await editUser(db, user.id, record, by, {
            announceName,
            leaveChains: (tx, user_id) => leaveChainsOfOtherAgencies(tx, { user_id }),
          });
          return `/users/${user.id}?done=${newAddress === null ? 'saved' : 'asked'}`;
        },
        again: (refused) => readEditPage(request, actor, user, refused),
      });
    },
  );

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
