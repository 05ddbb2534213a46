import type { ChangedBy } from '@case-platform/lib/audit';
import { invalid } from '@case-platform/lib/errors';
import {
  addParticipant,
  addToTeam,
  changeCaseStatus,
  closedFrom,
  ENDING_CASE_STATUSES,
  OPEN_CASE_STATUSES,
  removeFromTeam,
  setEscrowSpecialist,
  updateCase,
} from '@case-platform/modules/cases';
import { leaveCase } from '@case-platform/modules/disbursements';
import { handOnStartedChains, leaveChainsOfOtherAgencies, removeFromCase } from '@case-platform/modules/messaging';
import { isUserType } from '@case-platform/words/user-types';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { ChoiceText, chosenId, FieldText, Id } from '../form/schemas.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readCaseEditPage } from './read-case-edit-page.ts';

const params = Type.Object({ case_id: Id });
const Person = Type.Object({ case_id: Id, user_id: Id });
const DetailsForm = Type.Object({
  name: FieldText,
  agency_id: ChoiceText,
  approver_id: ChoiceText,
  close_due_on: Type.String({ maxLength: 40, default: '' }),
});
const StatusForm = Type.Object({ status: FieldText });
const AdminForm = Type.Object({ admin_id: ChoiceText });
const PersonForm = Type.Object({ email_address: FieldText, user_type: FieldText });

/** The forms of a case's edit page. */
export function caseChangeRoutes(server: AdminServer): void {
  detailRoutes(server);
  assignmentRoutes(server);
  peopleRoutes(server);
}

function detailRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });
  const closing = guards.apiGuard({ user_types: ['admin'], perm_check: 'close_case', case_id: 'case_id' });

  app.post(
    '/cases/:case_id',
    { config: { guard: editing }, schema: { params, body: DetailsForm } },
    (request, reply) => {
      const { name, agency_id, approver_id, close_due_on } = request.body;
      const details = {
        name,
        agency_id: chosenId(agency_id),
        approver_id: chosenId(approver_id),
        close_due_on: close_due_on === '' ? null : close_due_on,
      };
      const edit = { request, reply, actor: editing.actor(request), ...request.params, done: 'details' };
      return answerEdit(server, edit, (id, by) =>
        updateCase(db, id, details, by, (tx, former_agency_id) =>
          leaveChainsOfOtherAgencies(tx, { case_id: id, former_agency_id }),
        ),
      );
    },
  );

  app.post(
    '/cases/:case_id/status',
    { config: { guard: editing }, schema: { params, body: StatusForm } },
    (request, reply) => {
      const edit = { request, reply, actor: editing.actor(request), ...request.params, done: 'status' };
      return answerEdit(server, edit, (id, by) =>
        changeCaseStatus(db, id, oneOf(OPEN_CASE_STATUSES, request.body.status), by, OPEN_CASE_STATUSES),
      );
    },
  );

  app.post(
    '/cases/:case_id/close',
    { config: { guard: closing }, schema: { params, body: StatusForm } },
    (request, reply) => {
      const edit = { request, reply, actor: closing.actor(request), ...request.params, done: 'status' };
      return answerEdit(server, edit, (id, by) => {
        const to = oneOf(ENDING_CASE_STATUSES, request.body.status);
        return changeCaseStatus(db, id, to, by, closedFrom(to));
      });
    },
  );
}

function assignmentRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const module = { db, now };
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'assign_case', case_id: 'case_id' });
  const options = { config: { guard }, schema: { params, body: AdminForm } };

  app.post('/cases/:case_id/escrow-specialist', options, (request, reply) => {
    const edit = { request, reply, actor: guard.actor(request), ...request.params, done: 'assigned' };
    const adminId = chosenId(request.body.admin_id);
    return answerEdit(server, edit, (id, by) =>
      leaveCase(module, id, by, async (tx) => {
        await setEscrowSpecialist(tx, id, adminId, by);
        await handOnStartedChains(tx, id, by);
      }),
    );
  });

  app.post('/cases/:case_id/team', options, (request, reply) => {
    const edit = { request, reply, actor: guard.actor(request), ...request.params, done: 'team-added' };
    return answerEdit(server, edit, (id, by) => {
      const adminId = chosenId(request.body.admin_id);
      if (adminId === null) throw invalid('admin_id', 'Choose someone for the team.');
      return addToTeam(db, id, adminId, by);
    });
  });

  app.post(
    '/cases/:case_id/team/:user_id/remove',
    { config: { guard }, schema: { params: Person } },
    (request, reply) => {
      const edit = { request, reply, actor: guard.actor(request), ...request.params, done: 'team-removed' };
      return answerEdit(server, edit, (id, by) =>
        leaveCase(module, id, by, async (tx) => {
          await removeFromTeam(tx, id, request.params.user_id, by);
          await handOnStartedChains(tx, id, by);
        }),
      );
    },
  );
}

function peopleRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const module = { db, now };
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });

  app.post('/cases/:case_id/people', { config: { guard }, schema: { params, body: PersonForm } }, (request, reply) => {
    const edit = { request, reply, actor: guard.actor(request), ...request.params, done: 'person-added' };
    return answerEdit(server, edit, (id, by) => {
      const { email_address, user_type } = request.body;
      if (!isUserType(user_type)) throw invalid('user_type', 'Choose their role on this case.');
      return addParticipant(db, id, { email_address, user_type }, by);
    });
  });

  app.post(
    '/cases/:case_id/people/:user_id/remove',
    { config: { guard }, schema: { params: Person } },
    (request, reply) => {
      const edit = { request, reply, actor: guard.actor(request), ...request.params, done: 'person-removed' };
      return answerEdit(server, edit, (id, by) =>
        leaveCase(module, id, by, (tx) => removeFromCase(tx, id, request.params.user_id, by)),
      );
    },
  );
}

interface Edit {
  request: FastifyRequest;
  reply: FastifyReply;
  actor: StaffActor;
  case_id: number;
  done: string;
}

/** Each of these forms stands on the case's edit page, and leads back to it. */
function answerEdit(
  server: AdminServer,
  { request, reply, actor, case_id, done }: Edit,
  change: (caseId: number, by: ChangedBy) => Promise<unknown>,
): Promise<FastifyReply> {
  return answerForm(request, reply, {
    run: async () => {
      await change(case_id, changedBy(request, actor));
      return `/cases/${case_id}/edit?done=${done}`;
    },
    again: (refused) => readCaseEditPage(server, request, actor, { case_id, refused }),
    names: { escrow_specialist_id: 'admin_id' },
  });
}

function oneOf<const Value extends string>(values: readonly Value[], text: string): Value {
  const found = values.find((value) => value === text);
  if (found === undefined) throw invalid('status', 'Choose a state from the list.');
  return found;
}
