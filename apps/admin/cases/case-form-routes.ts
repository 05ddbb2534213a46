import { createCase } from '@case-platform/modules/cases';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { ChoiceText, chosenId, FieldText } from '../form/user-form-fields.ts';
import { changedBy } from '../guards/changed-by.ts';
import { sendPage } from '../page/send-page.ts';
import { drawCaseEdit, drawNewCase } from './draw-case-edit.ts';

const NewCaseForm = Type.Object({ name: FieldText, agency_id: ChoiceText });
export type NewCaseFields = Static<typeof NewCaseForm>;

/** Opening a case, and the page on which one is changed. */
export function caseFormRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const opening = guards.pageGuard({ user_types: ['admin'], perm_check: 'create_case' });
  const creating = guards.apiGuard({ user_types: ['admin'], perm_check: 'create_case' });
  const editing = guards.pageGuard({
    user_types: ['admin'],
    perm_check: ['edit_case_details', 'assign_case', 'close_case'],
    case_id: 'case_id',
  });

  app.get('/cases/new', { config: { guard: opening } }, async (request, reply) => {
    return sendPage(reply, await drawNewCase(server, request, opening.actor(request)));
  });

  app.post('/cases', { config: { guard: creating }, schema: { body: NewCaseForm } }, async (request, reply) => {
    const actor = creating.actor(request);
    const { name, agency_id } = request.body;
    try {
      const id = await createCase(context.db, { name, agency_id: chosenId(agency_id) }, changedBy(request, actor));
      return reply.redirect(`/cases/${id}?done=created`, 303);
    } catch (error) {
      const refusal = refusalOf(error);
      const failed = { fields: request.body, problem: refusal.words };
      return sendPage(markRefused(reply, refusal), await drawNewCase(server, request, actor, failed));
    }
  });

  app.get(
    '/cases/:case_id/edit',
    {
      config: { guard: editing },
      schema: {
        params: Type.Object({ case_id: Id }),
        querystring: Type.Object({ done: Type.Optional(Type.String({ maxLength: 20 })) }),
      },
    },
    async (request, reply) => {
      const edit = { ...request.params, done: request.query.done };
      return sendPage(reply, await drawCaseEdit(server, request, editing.actor(request), edit));
    },
  );
}
