import type { Database } from '@case-platform/lib/database';
import { listAgencies, listAgencyPeople, listRoles, listStaff, listUsers, type User } from '@case-platform/modules/accounts';
import { listAudit, listAuditActions } from '@case-platform/modules/audit';
import {
  getCaseProjection,
  getCaseStatement,
  listBatches,
  listDuePayments,
  listOwnPayments,
  listPaidRequests,
  listReadyRequests,
  listWaitingBatches,
  readPeriod,
} from '@case-platform/modules/banking';
import {
  CASE_SORTS,
  canAccessCase,
  findCaseOutline,
  listCasePeople,
  listCases,
  listCasesOf,
  listCaseTeam,
  listClosingCases,
  listMilestones,
  listPeopleOfCases,
  listScheduledPayments,
  listSharedCases,
} from '@case-platform/modules/cases';
import {
  listBenefits,
  listDisbursements,
  listRequestBenefits,
  listTimelines,
  requestConditions,
} from '@case-platform/modules/disbursements';
import { findCaseBalance, listWaitingCashEntries } from '@case-platform/modules/ledger';
import { countUnassigned, countUnread, listCaseActivity, listChains, listRecipients } from '@case-platform/modules/messaging';
import { countFailedDeliveries, listDeliveries, listDeliveryEvents } from '@case-platform/modules/notifications';
import { findHome, listCaseOverviews, listCaseTimeline } from '@case-platform/modules/overview';

/** The users whose lists are read: people who see everything, a lot, or only their own data. */
export interface Askers extends Record<'root' | 'finance' | 'specialist' | 'parent' | 'surrogate' | 'owner', User> {
  caseId: number;
}

/** Lists the second page as well, to read rows after the first page. */
export async function second<Page extends { next_cursor: string | null }>(
  list: (cursor?: string) => Promise<Page>,
): Promise<void> {
  const { next_cursor } = await list();
  if (next_cursor !== null) await list(next_cursor);
}

/** Every list with each of its filters, one line for each. */
export function everyList(db: Database, { root, finance, specialist, parent, surrogate, owner, caseId }: Askers) {
  const agency_id = owner.agency_id ?? 0;
  const day = new Date().toISOString().slice(0, 10);
  const period = readPeriod({}, new Date());
  const someRequests = async () => (await listDisbursements(db, finance, {}, new Date())).data.map(({ id }) => id);
  const lists: Record<string, () => Promise<unknown>> = {
    ...Object.fromEntries(
      CASE_SORTS.flatMap((sort) => [
        [`cases by ${sort}`, () => second((cursor) => listCases(db, root, { sort, cursor }))],
        [`cases of a common state by ${sort}`, () => second((cursor) => listCases(db, root, { sort, cursor, status: 'active' }))],
        [`cases of a rare state by ${sort}`, () => listCases(db, root, { sort, status: 'cancelled' })],
        [`cases of a specialist by ${sort}`, () => listCases(db, root, { sort, escrow_specialist_id: specialist.id })],
        [`cases without one by ${sort}`, () => listCases(db, root, { sort, escrow_specialist_id: 'none' })],
        [`cases of an agency by ${sort}`, () => listCases(db, root, { sort, agency_id })],
        [`my cases by ${sort}`, () => listCases(db, specialist, { sort, mine: true })],
        [`cases by common words by ${sort}`, () => second((cursor) => listCases(db, root, { sort, cursor, q: 'number' }))],
        [`a parent's cases by ${sort}`, () => listCases(db, parent, { sort, q: 'many' })],
        [`an owner's cases by ${sort}`, () => listCases(db, owner, { sort })],
      ]),
    ),
    'cases by words of their name': () => listCases(db, root, { q: '73be53' }),
    'cases by a person': () => listCases(db, root, { q: 'number4444' }),
    'cases of a specialist by common words': () => listCases(db, specialist, { q: 'many' }),
    'cases by number': () => listCases(db, root, { q: String(caseId) }),
    'cases to be closed soon': () => listCases(db, root, { close_due_by: day, escrow_specialist_id: specialist.id }),
    'closing cases of a specialist': () => listClosingCases(db, specialist.id, { by: day, limit: 5 }),
    'cases of a person': () => listCasesOf(db, root, surrogate.id, 20),
    'cases that people share': () => listSharedCases(db, parent, [surrogate.id], 5),
    'people of cases': () => listPeopleOfCases(db, [caseId, caseId + 1]),
    'people of a case': () => listCasePeople(db, caseId),
    'team of a case': () => listCaseTeam(db, caseId),
    'a case': () => Promise.all([findCaseOutline(db, caseId), canAccessCase(db, specialist, caseId)]),
    'milestones of a case': () => listMilestones(db, caseId),
    'payments of a case': () => listScheduledPayments(db, caseId, { requests: requestConditions(specialist) }),
    'statement of a case, for its parent': () => getCaseStatement(db, parent, caseId, period, new Date()),
    'statement of a case, for its specialist': () => getCaseStatement(db, specialist, caseId, period, new Date()),
    'what a case will have': () => getCaseProjection(db, parent, caseId, { now: new Date() }),
    'what was paid to somebody': () => listOwnPayments(db, surrogate, period),
    'balance of a case': () => findCaseBalance(db, caseId),

    'chains of an admin': () => second((cursor) => listChains(db, specialist, { cursor })),
    'chains of an admin on no case': () => listChains(db, root, {}),
    'unread chains': () => listChains(db, specialist, { unread: true }),
    'open chains': () => listChains(db, specialist, { status: 'open' }),
    'my chains': () => listChains(db, specialist, { assigned: 'me' }),
    "chains of nobody's": () => listChains(db, specialist, { assigned: 'nobody' }),
    'chains of a case': () => listChains(db, specialist, { case_id: caseId }),
    'chains by words': () => listChains(db, specialist, { q: '73be53' }),
    "a parent's chains": () => listChains(db, parent, {}),
    "a parent's unread chains": () => listChains(db, parent, { unread: true }),
    "a parent's chains by words": () => listChains(db, parent, { q: 'words' }),
    'unread of an admin': () => countUnread(db, specialist),
    'unread of a parent': () => countUnread(db, parent),
    'what waits in cases': () => listCaseActivity(db, specialist, [caseId, caseId + 100]),
    'chains of nobody, counted': () => countUnassigned(db),
    'people to write to': () => listRecipients(db, parent, caseId),

    "a parent's first page": () => findHome(db, parent, new Date()),
    "a surrogate's first page": () => findHome(db, surrogate, new Date()),
    "an owner's first page": () => findHome(db, owner, new Date()),
    "a specialist's first page": () => findHome(db, specialist, new Date()),
    'first page of staff who see everything': () => findHome(db, root, new Date()),
    'what happened in a case': () => second((cursor) => listCaseTimeline(db, root, caseId, { cursor, limit: 2 })),
    "what happened in a parent's case": () => second((cursor) => listCaseTimeline(db, parent, caseId, { cursor, limit: 1 })),
    'cases at a look': () => listCaseOverviews(db, specialist, [caseId, caseId + 100], new Date()),

    'requests of everybody': () => second((cursor) => listDisbursements(db, finance, { cursor }, new Date())),
    'requests of a common state': () => listDisbursements(db, finance, { status: 'paid' }, new Date()),
    'requests of a rare state': () => listDisbursements(db, finance, { status: 'denied' }, new Date()),
    'requests that wait for staff': () => listDisbursements(db, root, { waiting_for_me: true }, new Date()),
    'requests that wait for a parent': () => listDisbursements(db, parent, { waiting_for_me: true }, new Date()),
    'requests by words': () => second((cursor) => listDisbursements(db, finance, { q: 'travel', cursor }, new Date())),
    'requests by a rare word': () => listDisbursements(db, finance, { q: 'many 4444' }, new Date()),
    'requests by a payee': () => listDisbursements(db, root, { q: 'number4444' }, new Date()),
    "an owner's requests by words": () => listDisbursements(db, owner, { q: 'many' }, new Date()),
    'requests of a case': () => listDisbursements(db, specialist, { case_id: caseId }, new Date()),
    'benefits of a case': () => listBenefits(db, caseId, new Date()),
    'benefits of requests': async () => listRequestBenefits(db, finance, await someRequests(), new Date()),
    'timelines of requests': async () => listTimelines(db, finance, await someRequests()),
    'what has come back, on the dashboard of its specialist': () =>
      listDisbursements(db, specialist, { status: 'returned', on_own_cases: true, limit: 5 }, new Date()),
    'deposits that wait': () => listWaitingCashEntries(db, root, 5),
    'what was paid last': () => listPaidRequests(db, finance),
    'requests of a specialist': () => listDisbursements(db, specialist, {}, new Date()),
    'requests ready for a batch': () => listReadyRequests(db, finance, new Date(), 100),
    'payments that are open': () => second((cursor) => listDuePayments(db, root, { cursor })),
    'payments that are done': () => listDuePayments(db, root, { state: 'paid' }),
    batches: () => second((cursor) => listBatches(db, { cursor }, new Date())),
    'batches of a rare state': () => listBatches(db, { status: 'settled' }, new Date()),
    'batches that wait': () => listWaitingBatches(db, root.id, { approves: true, signs: true, limit: 5, now: new Date() }),

    deliveries: () => listDeliveries(db, { before: 10_000 }),
    'deliveries that failed': () => listDeliveries(db, { state: 'failed' }),
    'deliveries that failed, counted': () => countFailedDeliveries(db),
    'deliveries of a rare channel': () => listDeliveries(db, { channel: 'sms' }),
    'deliveries of an event': () => listDeliveries(db, { event: 'new_message' }),
    'deliveries to somebody': () => listDeliveries(db, { user_id: parent.id }),
    'deliveries by name': () => listDeliveries(db, { person: 'number4444', state: 'sent' }),
    'reasons of deliveries': () => listDeliveryEvents(db),

    people: () => listUsers(db, {}),
    'people of a type': () => listUsers(db, { user_type: 'admin' }),
    'people of a state': () => listUsers(db, { status: 'deactivated' }),
    'people of an agency': () => listUsers(db, { agency_id }),
    'people by name': () => listUsers(db, { q: 'number4444' }),
    'people by address': () => listUsers(db, { q: 'many-ip-4444@demo.test', byAddress: true }),
    'people at an agency': () => listAgencyPeople(db, agency_id),
    agencies: () => listAgencies(db, { after: agency_id }),
    staff: () => listStaff(db),
    roles: () => listRoles(db),

    'audit log': () => listAudit(db, {}),
    'audit log of somebody': () => listAudit(db, { actor_ids: [specialist.id] }),
    'audit log of an action': () => listAudit(db, { action: 'role.rename' }),
    'audit log of a case': () => listAudit(db, { case_id: caseId }),
    'audit log of a day': () => listAudit(db, { from: new Date(Date.now() - 86_400_000), until: new Date() }),
    'actions of the audit log': () => listAuditActions(db),
  };
  return lists;
}
