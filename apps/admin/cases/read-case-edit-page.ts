import { NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { listAgencyNames, listStaff } from '@case-platform/modules/accounts';
import { findCaseOutline, listCasePeople, listCaseTeam, listOpenMoney } from '@case-platform/modules/cases';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { caseEditPage } from './case-edit-page.ts';

const DONE = new Map([
  ['details', 'Details saved.'],
  ['status', 'The case state was changed.'],
  ['assigned', 'The case was assigned. New conversations go to its escrow specialist; existing ones keep their owner.'],
  ['person-added', 'They were added to the case.'],
  ['person-removed', 'They were removed from the case and its conversations.'],
  ['team-added', 'They were added to the team.'],
  ['team-removed', 'They were removed from the team.'],
]);

/** Reads the page with the forms that change a case. @throws {NotFoundError} for a case that does not exist. */
export async function readCaseEditPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { case_id, done, refused }: { case_id: number; done?: string | undefined; refused?: RefusedForm },
): Promise<Html> {
  const { db } = context;
  const [outline, people, team, agencies, staff, openMoney, frame] = await Promise.all([
    findCaseOutline(db, case_id),
    listCasePeople(db, case_id),
    listCaseTeam(db, case_id),
    listAgencyNames(db),
    listStaff(db),
    listOpenMoney(db, case_id),
    readFrame(context, request, actor),
  ]);
  if (outline === null) throw new NotFoundError();
  const shown = { outline, people, team, agencies, staff, openMoney };
  return caseEditPage(frame, { ...shown, done: DONE.get(done ?? ''), refused });
}
