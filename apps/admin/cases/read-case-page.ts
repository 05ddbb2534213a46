import { NotFoundError } from '@case-platform/lib/errors';
import {
  canAccessCase,
  findCaseOutline,
  listCaseDocuments,
  listCasePeople,
  listCaseTeam,
  listEventsOfCase,
  listMilestones,
  listScheduledPayments,
} from '@case-platform/modules/cases';
import { findCaseBalance, listBenefits, listDisbursements, toldRequests } from '@case-platform/modules/disbursements';
import { listChains } from '@case-platform/modules/messaging';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/answer-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { casePage } from './case-page.ts';

const CHAINS_SHOWN = 4;
const DISBURSEMENTS_SHOWN = 6;
const DOCUMENTS_SHOWN = 10;
/** A case has a few dozen; its money page shows the rest. */
const PAYMENTS_SHOWN = 100;

const DONE = new Map([
  ['created', 'The case is open, and you are on its team. Add its people next.'],
  ['updated', 'The case was changed.'],
  ['file', 'The document was added.'],
  ['file-removed', 'The document was removed.'],
  ['benefit', 'The benefit was saved. Requests now show how much is left.'],
  ['benefit-removed', 'The benefit was removed.'],
  ['milestone', 'The milestone was added.'],
]);

/** Reads the page of a case, everything at once. @throws {NotFoundError} for a case that does not exist. */
export async function readCasePage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { case_id, done, refused }: { case_id: number; done?: string | undefined; refused?: RefusedForm },
): Promise<string> {
  const { db, now = () => new Date() } = context;
  const { user } = actor;
  /** Anyone else on the staff sees that the case exists, but none of its documents. */
  const listDocuments = () =>
    listCaseDocuments(context, user, case_id, { limit: DOCUMENTS_SHOWN }, now()).then(
      ({ data }) => data,
      (error) => {
        if (error instanceof NotFoundError) return [];
        throw error;
      },
    );
  const [
    outline,
    onCase,
    people,
    team,
    chains,
    milestones,
    balance,
    benefits,
    disbursements,
    payments,
    documents,
    events,
    frame,
  ] = await Promise.all([
    findCaseOutline(db, case_id),
    canAccessCase(db, user, case_id),
    listCasePeople(db, case_id),
    listCaseTeam(db, case_id),
    listChains(db, user, { case_id, limit: CHAINS_SHOWN }),
    listMilestones(db, case_id),
    findCaseBalance(db, case_id),
    listBenefits(db, case_id, now()),
    listDisbursements(db, user, { case_id, limit: DISBURSEMENTS_SHOWN }),
    listScheduledPayments(db, case_id, { requests: toldRequests(user), limit: PAYMENTS_SHOWN }),
    listDocuments(),
    listEventsOfCase(db, user, case_id),
    readFrame(context, request, actor),
  ]);
  if (outline === null) throw new NotFoundError();
  return casePage(frame, {
    outline,
    onCase,
    people,
    team,
    chains,
    milestones,
    documents,
    events,
    money: { balance, disbursements, payments },
    benefits,
    done: DONE.get(done ?? ''),
    refused,
  });
}
