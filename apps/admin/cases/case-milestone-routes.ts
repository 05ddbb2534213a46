import { invalid } from '@case-platform/lib/errors';
import { addMilestone, MILESTONE_KINDS, type MilestoneKind } from '@case-platform/modules/cases';
import { Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { readAmount } from '../form/read-amount.ts';
import { markRefused, refusalOf } from '../form/refusal.ts';
import { Id } from '../form/schemas.ts';
import { FieldText } from '../form/user-form-fields.ts';
import { changedBy } from '../guards/changed-by.ts';
import { sendPage } from '../page/send-page.ts';
import { drawCase } from './draw-case.ts';

const MilestoneForm = Type.Object({
  kind: FieldText,
  happened_on: FieldText,
  note: Type.String({ maxLength: 20_000, default: '' }),
  funding_required: FieldText,
});

/** Noting what has happened in a case. */
export function caseMilestoneRoutes(server: AdminServer): void {
  const { app, context, guards } = server;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });

  app.post(
    '/cases/:case_id/milestones',
    { config: { guard }, schema: { params: Type.Object({ case_id: Id }), body: MilestoneForm } },
    async (request, reply) => {
      const actor = guard.actor(request);
      const { case_id } = request.params;
      const { kind, happened_on, note, funding_required } = request.body;
      try {
        const milestone = {
          kind: kindOf(kind),
          happened_on,
          note,
          funding_required_cents:
            funding_required.trim() === '' ? null : readAmount('funding_required', funding_required),
        };
        const { db, now = () => new Date() } = context;
        await addMilestone({ db, now }, case_id, milestone, { ...changedBy(request, actor), actor: actor.user });
        return reply.redirect(`/cases/${case_id}?done=milestone`, 303);
      } catch (error) {
        const refusal = refusalOf(error);
        const failed = { problem: refusal.words, fields: request.body };
        return sendPage(markRefused(reply, refusal), await drawCase(server, request, actor, { case_id, failed }));
      }
    },
  );
}

function kindOf(text: string): MilestoneKind {
  const kind = MILESTONE_KINDS.find((value) => value === text);
  if (kind === undefined) throw invalid('kind', 'Choose what has happened.');
  return kind;
}
