import { invalid } from '@case-platform/lib/errors';
import { addMilestone, MILESTONE_KINDS, type MilestoneKind } from '@case-platform/modules/cases';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { answerForm } from '../form/answer-form.ts';
import { readAmount } from '../form/read-amount.ts';
import { FieldText, Id } from '../form/schemas.ts';
import { changedByStaff } from '../guards/changed-by.ts';
import { readCasePage } from './read-case-page.ts';

const MilestoneForm = Type.Object({
  kind: FieldText,
  happened_on: FieldText,
  note: Type.String({ maxLength: 20_000, default: '' }),
  funding_required: FieldText,
});

/** Noting what has happened in a case. */
export function caseMilestoneRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const { db, now = () => new Date() } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });

  app.post(
    '/cases/:case_id/milestones',
    { config: { guard }, schema: { params: Type.Object({ case_id: Id }), body: MilestoneForm } },
    (request, reply) => {
      const actor = guard.actor(request);
      const { case_id } = request.params;
      const { kind, happened_on, note, funding_required: funding } = request.body;
      return answerForm(request, reply, {
        run: async () => {
          const funding_required_cents = funding.trim() === '' ? null : readAmount('funding_required', funding);
          const milestone = { kind: readKind(kind), happened_on, note, funding_required_cents };
          await addMilestone({ db, now }, case_id, milestone, changedByStaff(request, actor));
          return `/cases/${case_id}?done=milestone`;
        },
        again: (refused) => readCasePage(server, request, actor, { case_id, refused }),
      });
    },
  );
}

function readKind(text: string): MilestoneKind {
  const kind = MILESTONE_KINDS.find((value) => value === text);
  if (kind === undefined) throw invalid('kind', 'Choose what happened.');
  return kind;
}
