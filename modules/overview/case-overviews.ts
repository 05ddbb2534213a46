import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { leftOf } from '@case-platform/modules/cases';
import { type Disbursement, listStuckRequests, REQUEST_READERS } from '@case-platform/modules/disbursements';
import { mayViewBalance } from '@case-platform/modules/ledger';
import { listCaseActivity } from '@case-platform/modules/messaging';
import { loadPermissionCheck } from './load-permission-check.ts';

/** How a case stands at a look: its money, what is open, whom it waits for, what is unread. */
export interface CaseOverview {
  /** Null for those who may not see what a case holds. */
  money: CaseFigures | null;
  /** Sent and neither paid nor ended; 0 for staff whose role reads no requests. */
  open_requests: number;
  /** Whom the request that has waited longest waits for; null for the same. */
  stuck: Pick<Disbursement, 'id' | 'waiting_for' | 'waiting_since'> | null;
  /** 0 for staff whose role reads no messages. */
  unread_count: number;
}

/** In cents. */
export interface CaseFigures {
  available_cents: number;
  /** Set aside for requests that are approved. */
  held_cents: number;
  /** Scheduled payments that nobody has asked for yet. */
  planned_cents: number;
}

/** What lists of cases show beside each. The caller has found the cases through the reader's own access. */
export async function listCaseOverviews(
  db: Executor,
  user: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  caseIds: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, CaseOverview>> {
  if (caseIds.length === 0) return new Map();
  const may = await loadPermissionCheck(db, user);
  const readsRequests = may(...REQUEST_READERS);
  const [maySeeMoney, figures, stuck, activity] = await Promise.all([
    mayViewBalance(db, user),
    listFigures(db, caseIds),
    readsRequests ? listStuckRequests(db, user, caseIds, now) : undefined,
    may('view_messages') ? listCaseActivity(db, user, caseIds) : undefined,
  ]);
  return new Map(
    figures.map(({ id, open_requests, ...money }) => [
      id,
      {
        money: maySeeMoney ? money : null,
        open_requests: readsRequests ? open_requests : 0,
        stuck: stuck?.get(id) ?? null,
        unread_count: activity?.get(id)?.unread_count ?? 0,
      },
    ]),
  );
}

function listFigures(
  db: Executor,
  caseIds: readonly number[],
): Promise<(CaseFigures & { id: number; open_requests: number })[]> {
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
