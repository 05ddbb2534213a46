import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { listShortfalls, type Shortfall } from '@case-platform/modules/banking';
import { leftOf } from '@case-platform/modules/cases';
import { type Disbursement, listStuckRequests, REQUEST_READERS } from '@case-platform/modules/disbursements';
import { canViewBalance } from '@case-platform/modules/ledger';
import { listCaseActivity } from '@case-platform/modules/messaging';
import { loadPermissionCheck } from './load-permission-check.ts';

/** A short summary of a case: its money, open requests, the one that has waited longest, and unread messages. */
export interface CaseOverview {
  /** Null for readers who may not see the balance. */
  money: CaseFigures | null;
  /** The same figure as on every other page (PROJECTION-2); null for readers who may not see the balance. */
  shortfall: Shortfall | null;
  /** Requests that were submitted and are neither paid nor ended; 0 for staff whose role reads no requests. */
  open_requests: number;
  /** The request that has waited longest, with the people it waits for; null for staff whose role reads no requests. */
  stuck: StuckRequest | null;
  /** 0 for staff whose role reads no messages. */
  unread_count: number;
}

interface StuckRequest extends Pick<Disbursement, 'id' | 'waiting_for' | 'waiting_since'> {
  /** True if it waits for this reader to approve it, or to add another bank account. */
  waiting_for_me: boolean;
}

export interface CaseFigures {
  available_cents: number;
  /** Reserved for approved requests. */
  held_cents: number;
  /** Scheduled payments that were not requested yet. */
  planned_cents: number;
}

/** Summaries for lists of cases. Access is not checked: the caller has selected cases that the user may see. */
export async function listCaseOverviews(
  db: Executor,
  user: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  caseIds: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, CaseOverview>> {
  if (caseIds.length === 0) return new Map();
  const may = await loadPermissionCheck(db, user);
  const readsRequests = may(...REQUEST_READERS);
  const [seesMoney, shortfalls, figures, stuckRequests, activity] = await Promise.all([
    canViewBalance(db, user),
    listShortfalls(db, caseIds, now),
    listFigures(db, caseIds),
    readsRequests ? listStuckRequests(db, user, caseIds, now) : undefined,
    may('view_messages') ? listCaseActivity(db, user, caseIds) : undefined,
  ]);
  return new Map(
    figures.map(({ id, open_requests, ...money }) => [
      id,
      {
        money: seesMoney ? money : null,
        shortfall: seesMoney ? (shortfalls.get(id) ?? null) : null,
        open_requests: readsRequests ? open_requests : 0,
        stuck: stuckFor(stuckRequests?.get(id), user),
        unread_count: activity?.get(id)?.unread_count ?? 0,
      },
    ]),
  );
}

function stuckFor(request: Disbursement | undefined, { id }: Pick<User, 'id'>): StuckRequest | null {
  if (request === undefined) return null;
  const { status, approver, payee, return: returned, waiting_for, waiting_since } = request;
  const isDecision = status === 'submitted' && approver?.user_id === id;
  const isAccount = returned?.who_acts === 'payee' && payee.user_id === id;
  return { id: request.id, waiting_for, waiting_since, waiting_for_me: isDecision || isAccount };
}

function listFigures(db: Executor, caseIds: readonly number[]): Promise<(CaseFigures & { id: number; open_requests: number })[]> {
  return query(
    db,
    sql`select c.id, money.available_cents, money.held_cents, planned.cents as planned_cents, opened.count as open_requests
          from unnest(${[...new Set(caseIds)]}::bigint[]) c (id)
          cross join lateral (
            select coalesce(-sum(b.amount_cents) filter (where b.account = 'funds'), 0)::bigint as available_cents,
                   coalesce(-sum(b.amount_cents) filter (where b.account = 'held'), 0)::bigint as held_cents
              from ledger_balance b where b.case_id = c.id) money
          cross join lateral (
            select coalesce(sum(${leftOf(sql`s`)}), 0)::bigint as cents from scheduled_payment s
             where s.case_id = c.id and s.status = 'planned') planned
          cross join lateral (
            select count(*)::int as count from disbursement_request d
             where d.case_id = c.id and d.status in ('submitted', 'approved', 'batched')) opened`,
  );
}
