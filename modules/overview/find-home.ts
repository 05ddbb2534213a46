import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import {
  type CaseStatus,
  type CaseSummary,
  findNextScheduledPayment,
  listCases,
  ownCases,
  type ScheduledPayment,
} from '@case-platform/modules/cases';
import {
  findIncomingMoney,
  type HomeRequests,
  type IncomingMoney,
  listHomeRequests,
  REQUEST_READERS,
  requestConditions,
} from '@case-platform/modules/disbursements';
import { type Chain, countUnread, listChains } from '@case-platform/modules/messaging';
import { type CaseFigures, type CaseOverview, listCaseOverviews } from './case-overviews.ts';
import { listNeedyCases } from './list-needy-cases.ts';
import { loadPermissionCheck } from './load-permission-check.ts';

/** Everything on a person's home page: what waits for them, their requests, and the next payment (HOME-1). */
export interface Home extends HomeRequests {
  /** Requests that pay this person; null for staff. */
  incoming: IncomingMoney | null;
  unread_count: number;
  unread_chains: number;
  /** Conversations with unread messages, and the latest ones. */
  unread: Chain[];
  recent: Chain[];
  next_scheduled: ScheduledPayment | null;
  /** The balance of a parent's open case; of several, the one with the least money left after its planned payments. */
  balance: (CaseFigures & { case_id: number; case_name: string }) | null;
  /** The case that runs short first, among the shown cases whose balance the person may see. */
  shortfall: { case_id: number; case_name: string; month: string; missing_cents: number } | null;
  cases_by_status: { status: CaseStatus; count: number }[];
  /** For agencies those that need someone most; for others those that changed last. */
  cases: (CaseSummary & CaseOverview)[];
}

const SHOWN = 5;
const NO_REQUESTS: HomeRequests = { decisions: [], requests: [], returned: [], drafts: [], payments: [] };

/** Returns the home page of a person. Staff get the parts that their role includes. */
export async function findHome(db: Executor, user: User, now: Date): Promise<Home> {
  const may = await loadPermissionCheck(db, user);
  const [requests, incoming, chains, cases] = await Promise.all([
    may(...REQUEST_READERS) ? listHomeRequests(db, user, now) : NO_REQUESTS,
    user.user_type === 'admin' ? null : findIncomingMoney(db, user, now),
    may('view_messages') ? findConversations(db, user) : NO_CONVERSATIONS,
    may('view_case_details') ? findCases(db, user, now) : NO_CASES,
  ]);
  return { ...requests, incoming, ...chains, ...cases };
}

const NO_CONVERSATIONS = { unread_count: 0, unread_chains: 0, unread: [], recent: [] };

async function findConversations(db: Executor, user: User) {
  const [counts, unread, recent] = await Promise.all([
    countUnread(db, user),
    listChains(db, user, { unread: true, limit: SHOWN }),
    listChains(db, user, { limit: SHOWN }),
  ]);
  return { ...counts, unread: unread.data, recent: recent.data };
}

const NO_CASES = { next_scheduled: null, balance: null, shortfall: null, cases_by_status: [], cases: [] };

async function findCases(db: Executor, user: User, now: Date) {
  const [next_scheduled, cases_by_status, page] = await Promise.all([
    findNextScheduledPayment(db, user, requestConditions(user)),
    countCases(db, user),
    listShownCases(db, user),
  ]);
  const overviews = await listCaseOverviews(
    db,
    user,
    page.map(({ id }) => id),
    now,
  );
  const cases = page.flatMap((one) => {
    const overview = overviews.get(one.id);
    return overview === undefined ? [] : [{ ...one, ...overview }];
  });
  const isParent = user.user_type === 'ip' || user.user_type === 'ip_rep';
  return { next_scheduled, balance: isParent ? tightest(cases) : null, shortfall: firstShortfall(cases), cases_by_status, cases };
}

/** Agencies look after many cases, so the ones that need someone come first (HOME-4). */
async function listShownCases(db: Executor, user: User): Promise<CaseSummary[]> {
  const isAgency = user.user_type === 'owner' || user.user_type === 'cm';
  const [needy, { data: latest }] = await Promise.all([
    isAgency ? listNeedyCases(db, user, SHOWN) : [],
    listCases(db, user, { mine: true, limit: SHOWN }),
  ]);
  const others = latest.filter(({ id }) => needy.every((one) => one.id !== id));
  return [...needy, ...others].slice(0, SHOWN);
}

/** The number of the person's own cases in each state. */
function countCases(db: Executor, user: User): Promise<Home['cases_by_status']> {
  return query(
    db,
    sql`select c.status, count(*)::int as count from (${ownCases(user)}) k join case_file c on c.id = k.case_id
         group by c.status order by c.status`,
  );
}

function tightest(cases: Home['cases']): Home['balance'] {
  const open = cases.flatMap(({ id, name, status, money }) =>
    money === null || status === 'closed' || status === 'cancelled' ? [] : [{ case_id: id, case_name: name, ...money }],
  );
  const unplannedCents = ({ available_cents, planned_cents }: CaseFigures) => available_cents - planned_cents;
  return open.toSorted((a, b) => unplannedCents(a) - unplannedCents(b))[0] ?? null;
}

/** The shown case that runs short first. */
function firstShortfall(cases: Home['cases']): Home['shortfall'] {
  const shortCases = cases.flatMap(({ id, name, shortfall }) =>
    shortfall === null ? [] : [{ case_id: id, case_name: name, ...shortfall }],
  );
  return shortCases.toSorted((a, b) => a.month.localeCompare(b.month))[0] ?? null;
}
