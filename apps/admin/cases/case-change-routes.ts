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
import { leaveChainsOfOtherAgencies, reassignStartedChains, removeFromCase } from '@case-platform/modules/messaging';
import { isUserType } from '@case-platform/words/user-types';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { ChoiceText, chosenId, FieldText, Id } from '../form/schemas.ts';
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

/** The edit page of a case, which all of these forms are on. */
const editPage = (server: AdminServer): FormPage<Static<typeof params>> => ({
  path: ({ case_id }) => `/cases/${case_id}/edit`,
  readRefused: ({ request, actor, params: { case_id } }, refused) =>
    readCaseEditPage(server, request, actor, { case_id, refused }),
  names: { escrow_specialist_id: 'admin_id' },
});

/** The forms of a case's edit page. */
export function caseChangeRoutes(server: AdminServer): void {
  detailRoutes(server);
  assignmentRoutes(server);
  peopleRoutes(server);
}

function detailRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db } = context;
  const editing = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });
  const closing = guards.apiGuard({ user_types: ['admin'], perm_check: 'close_case', case_id: 'case_id' });
  const page = editPage(server);

  formRoute(server, page, '/cases/:case_id', {
    guard: editing,
    params,
    body: DetailsForm,
    done: 'details',
    run: ({ params: { case_id }, body: { name, agency_id, approver_id, close_due_on }, by }) => {
      const details = {
        name,
        agency_id: chosenId(agency_id),
        approver_id: chosenId(approver_id),
        close_due_on: close_due_on === '' ? null : close_due_on,
      };
      return updateCase(db, case_id, details, by, (tx, former_agency_id) =>
        leaveChainsOfOtherAgencies(tx, { case_id, former_agency_id }),
      );
    },
  });

  formRoute(server, page, '/cases/:case_id/status', {
    guard: editing,
    params,
    body: StatusForm,
    done: 'status',
    run: async ({ params: { case_id }, body, by }) =>
      changeCaseStatus(db, case_id, oneOf(OPEN_CASE_STATUSES, body.status), by, OPEN_CASE_STATUSES),
  });

  formRoute(server, page, '/cases/:case_id/close', {
    guard: closing,
    params,
    body: StatusForm,
    done: 'status',
    run: async ({ params: { case_id }, body, by }) => {
      const to = oneOf(ENDING_CASE_STATUSES, body.status);
      return changeCaseStatus(db, case_id, to, by, closedFrom(to));
    },
  });
}

function assignmentRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db, now } = context;
  const module = { db, now };
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'assign_case', case_id: 'case_id' });
  const page = editPage(server);

  formRoute(server, page, '/cases/:case_id/escrow-specialist', {
    guard,
    params,
    body: AdminForm,
    done: 'assigned',
    run: ({ params: { case_id }, body, by }) =>
      leaveCase(module, case_id, by, async (tx) => {
        await setEscrowSpecialist(tx, case_id, chosenId(body.admin_id), by);
        await reassignStartedChains(tx, case_id, by);
      }),
  });

  formRoute(server, page, '/cases/:case_id/team', {
    guard,
    params,
    body: AdminForm,
    done: 'team-added',
    run: async ({ params: { case_id }, body, by }) => {
      const adminId = chosenId(body.admin_id);
      if (adminId === null) throw invalid('admin_id', 'Choose someone for the team.');
      return addToTeam(db, case_id, adminId, by);
    },
  });

  formRoute(server, page, '/cases/:case_id/team/:user_id/remove', {
    guard,
    params: Person,
    done: 'team-removed',
    run: ({ params: { case_id, user_id }, by }) =>
      leaveCase(module, case_id, by, async (tx) => {
        await removeFromTeam(tx, case_id, user_id, by);
        await reassignStartedChains(tx, case_id, by);
      }),
  });
}

function peopleRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db, now } = context;
  const module = { db, now };
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });
  const page = editPage(server);

  formRoute(server, page, '/cases/:case_id/people', {
    guard,
    params,
    body: PersonForm,
    done: 'person-added',
    run: async ({ params: { case_id }, body: { email_address, user_type }, by }) => {
      if (!isUserType(user_type)) throw invalid('user_type', 'Choose their role on this case.');
      return addParticipant(db, case_id, { email_address, user_type }, by);
    },
  });

  formRoute(server, page, '/cases/:case_id/people/:user_id/remove', {
    guard,
    params: Person,
    done: 'person-removed',
    run: ({ params: { case_id, user_id }, by }) =>
      leaveCase(module, case_id, by, (tx) => removeFromCase(tx, case_id, user_id, by)),
  });
}

function oneOf<const Value extends string>(values: readonly Value[], text: string): Value {
  const status = values.find((value) => value === text);
  if (status === undefined) throw invalid('status', 'Choose a state from the list.');
  return status;
}
