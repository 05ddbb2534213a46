import { NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import {
  canAccessCase,
  findCaseOutline,
  listCaseDocuments,
  listCasePeople,
  listCaseTeam,
  listEventsOfCase,
  listMilestones,
  listScheduledPayments,
  type ScheduledPayment,
} from '@case-platform/modules/cases';
import { listBenefits, listDisbursements, REQUEST_READERS, requestConditions } from '@case-platform/modules/disbursements';
import { findCaseBalance } from '@case-platform/modules/ledger';
import { listChains } from '@case-platform/modules/messaging';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { AdminRole, StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { casePage } from './case-page.ts';
import { placeScheduledPayments } from './place-scheduled-payments.ts';

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
  ['benefit', 'The contract limit was saved. Requests now show how much is left.'],
  ['benefit-removed', 'The contract limit was removed.'],
  ['milestone', 'The milestone was added.'],
]);

/** Whom the page of a case is for; any other admin sees an overview of it. */
export const FOR_THE_TEAM = { user_types: ['admin'], perm_check: 'view_case_details', case_id: 'case_id' } as const;

/**
 * Reads the page of a case, everything at once that the reader may see. @throws {NotFoundError} for a case that does not exist.
 */
export async function readCasePage(
  { context, guards }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { case_id, done, refused }: { case_id: number; done?: string | undefined; refused?: RefusedForm },
): Promise<Html> {
  const { db, now } = context;
  const { user, admin } = actor;
  const isOpen = guards.pageGuard(FOR_THE_TEAM).holds(request);
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
    admin.can('view_messages') ? listChains(db, user, { case_id, limit: CHAINS_SHOWN }) : null,
    isOpen ? listMilestones(db, case_id) : [],
    findCaseBalance(db, case_id),
    listBenefits(db, case_id, now()),
    readsRequests(admin) ? listDisbursements(db, user, { case_id, limit: DISBURSEMENTS_SHOWN }, now()) : null,
    listScheduledPayments(db, case_id, { requests: requestConditions(user), limit: PAYMENTS_SHOWN }),
    isOpen ? listCaseDocuments(context, user, case_id, { limit: DOCUMENTS_SHOWN }, now()) : { data: [] },
    isOpen ? listEventsOfCase(db, user, case_id) : [],
    readFrame(context, request, actor),
  ]);
  if (outline === null) throw new NotFoundError();
  const withPlaces = (payments: readonly ScheduledPayment[]) => placeScheduledPayments(db, user, payments, now());
  return casePage(frame, {
    outline,
    onCase,
    isOpen,
    people,
    team,
    chains,
    milestones,
    documents: documents.data,
    events,
    money: { balance, disbursements, payments: { ...payments, data: await withPlaces(payments.data) } },
    benefits,
    done: DONE.get(done ?? ''),
    refused,
  });
}

const readsRequests = (admin: AdminRole) => REQUEST_READERS.some((permission) => admin.can(permission));
