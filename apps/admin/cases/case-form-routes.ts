import type { Html } from '@case-platform/lib/html';
import { listAgencyNames } from '@case-platform/modules/accounts';
import { createCase } from '@case-platform/modules/cases';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { ChoiceText, chosenId, Done, FieldText, Id } from '../form/schemas.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { sendPage } from '../page/send-page.ts';
import { CASE_EDITORS } from './case-edit-page.ts';
import { newCasePage } from './new-case-page.ts';
import { readCaseEditPage } from './read-case-edit-page.ts';

const NewCaseForm = Type.Object({ name: FieldText, agency_id: ChoiceText });

/** Opening a case, and the page on which one is changed. */
export function caseFormRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const opening = guards.pageGuard({ user_types: ['admin'], perm_check: 'create_case', closed: 'case_form' });
  const creating = guards.apiGuard({ user_types: ['admin'], perm_check: 'create_case' });
  const editing = guards.pageGuard({
    user_types: ['admin'],
    perm_check: CASE_EDITORS,
    case_id: 'case_id',
    closed: 'case_edit',
  });

  app.get('/cases/new', { config: { guard: opening } }, async (request, reply) => {
    const actor = opening.actor(request);
    return sendPage(reply, await readNewCasePage(request, actor));
  });

  const page: FormPage<unknown> = {
    path: () => '/cases/new',
    readRefused: ({ request, actor }, refused) => readNewCasePage(request, actor, refused),
  };
  formRoute(server, page, '/cases', {
    guard: creating,
    body: NewCaseForm,
    run: ({ body: { name, agency_id }, by }) => createCase(context.db, { name, agency_id: chosenId(agency_id) }, by),
    next: (id) => `/cases/${id}?done=created`,
  });

  app.get(
    '/cases/:case_id/edit',
    {
      config: { guard: editing },
      schema: { params: Type.Object({ case_id: Id }), querystring: Type.Object({ done: Done }) },
    },
    async (request, reply) => {
      const actor = editing.actor(request);
      const edit = { ...request.params, done: request.query.done };
      return sendPage(reply, await readCaseEditPage(server, request, actor, edit));
    },
  );

  async function readNewCasePage(request: FastifyRequest, actor: StaffActor, refused?: RefusedForm): Promise<Html> {
    const [agencies, frame] = await Promise.all([listAgencyNames(context.db), readFrame(context, request, actor)]);
    return newCasePage(frame, { agencies, refused });
  }
}
