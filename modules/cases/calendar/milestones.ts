import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import type { CasePerson } from '../people/case-people.ts';
import { personJson } from '../people/person-json.ts';

/** See CASE-8. */
export const MILESTONE_KINDS = [
  'matched',
  'contract_signed',
  'medical_clearance',
  'embryo_transfer',
  'pregnancy_confirmed',
  'heartbeat_confirmed',
  'birth',
  'other',
] as const;
export type MilestoneKind = (typeof MILESTONE_KINDS)[number];

export interface Milestone {
  id: number;
  kind: MilestoneKind;
  /** `YYYY-MM-DD`. */
  happened_on: string;
  note: string;
  /** The deposit that the parents have to pay; only with `pregnancy_confirmed`. */
  funding_required_cents: number | null;
  created_by: CasePerson;
  created_at: Date;
}

const MILESTONES_MAX = 200;

/** Lists a case's milestones, newest first. The caller must have checked access to the case. */
export function listMilestones(db: Executor, caseId: number): Promise<Milestone[]> {
  return query<Milestone>(
    db,
    sql`select m.id, m.kind, m.happened_on::text as happened_on, m.note, m.funding_required_cents,
               ${personJson('u')} as created_by, m.created_at
          from case_milestone m join user_account u on u.id = m.created_by
         where m.case_id = ${caseId}
         order by m.happened_on desc, m.id desc ${limitTo(MILESTONES_MAX)}`,
  );
}
