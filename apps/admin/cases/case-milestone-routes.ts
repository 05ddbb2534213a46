import { invalid } from '@case-platform/lib/errors';
import { isBlank } from '@case-platform/lib/text/human-text';
import { addMilestone, MILESTONE_KINDS, type MilestoneKind } from '@case-platform/modules/cases';
import { type Static, Type } from 'typebox';
import type { AdminServer } from '../admin-server.ts';
import { type FormPage, formRoute } from '../form/form-route.ts';
import { readAmount } from '../form/read-amount.ts';
import { FieldText, Id } from '../form/schemas.ts';
import { readCasePage } from './read-case-page.ts';

const params = Type.Object({ case_id: Id });
const MilestoneForm = Type.Object({
  kind: FieldText,
  happened_on: FieldText,
  note: Type.String({ maxLength: 20_000, default: '' }),
  funding_required: FieldText,
});

/** Noting what has happened in a case. */
export function caseMilestoneRoutes(server: AdminServer): void {
  const { context, guards } = server;
  const { db, now } = context;
  const guard = guards.apiGuard({ user_types: ['admin'], perm_check: 'edit_case_details', case_id: 'case_id' });

  const page: FormPage<Static<typeof params>> = {
    path: ({ case_id }) => `/cases/${case_id}`,
    readRefused: ({ request, actor, params: { case_id } }, refused) => readCasePage(server, request, actor, { case_id, refused }),
  };

  formRoute(server, page, '/cases/:case_id/milestones', {
    guard,
    mails: { pregnancy_funding: 'pregnancy-funding' },
    params,
    body: MilestoneForm,
    done: 'milestone',
    run: async ({ params: { case_id }, body: { kind, happened_on, note, funding_required: funding }, by }) => {
      const funding_required_cents = isBlank(funding) ? null : readAmount('funding_required', funding);
      const milestone = { kind: parseKind(kind), happened_on, note, funding_required_cents };
      return addMilestone({ db, now }, case_id, milestone, by);
    },
  });
}

function parseKind(text: string): MilestoneKind {
  const kind = MILESTONE_KINDS.find((value) => value === text);
  if (kind === undefined) throw invalid('kind', 'Choose what happened.');
  return kind;
}
