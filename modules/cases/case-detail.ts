import type { Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { listMilestones, type Milestone } from './calendar/milestones.ts';
import { CASE_COLUMNS, type CaseSummary, caseIsVisible } from './case-access.ts';
import { listCaseCategories } from './case-categories.ts';
import { type CasePerson, listCasePeople } from './people/case-people.ts';
import { designatedApprover } from './people/designated-approver.ts';
import { personJson } from './people/person-json.ts';

/** The details of a case for everyone who sees it (CASE-4). */
export interface CaseDetail extends CaseSummary {
  agency_name: string | null;
  escrow_specialist: CasePerson | null;
  /** The approver of its requests, except those in which they have a part (APPROVER-1). */
  approver: CasePerson | null;
  /** `YYYY-MM-DD`. */
  close_due_on: string | null;
  people: CasePerson[];
  /** Newest first. */
  milestones: Milestone[];
  categories: string[];
}

/** @throws {NotFoundError} for a case that this user does not see. */
export async function getCaseDetail(db: Executor, user: User, caseId: number): Promise<CaseDetail> {
  const [caseFile] = await query<Omit<CaseDetail, 'people' | 'milestones' | 'categories'>>(
    db,
    sql`select ${CASE_COLUMNS}, a.name as agency_name, ${personJson('s')} as escrow_specialist,
            ${personJson('approver')} as approver, c.close_due_on::text as close_due_on
       from case_file c
       left join agency a on a.id = c.agency_id
       left join user_account s on s.id = c.escrow_specialist_id
       left join user_account approver on approver.id = ${designatedApprover()}
      where c.id = ${caseId} and ${caseIsVisible(user)}`,
  );
  if (caseFile === undefined) throw new NotFoundError();
  const [people, milestones, categories] = await Promise.all([
    listCasePeople(db, caseId),
    listMilestones(db, caseId),
    listCaseCategories(db, caseId),
  ]);
  return { ...caseFile, people, milestones, categories };
}
