import type { Executor } from '@case-platform/lib/database';
import { type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { ownCases } from '@case-platform/modules/cases';
import { disbursementIsVisible, visibleDisbursements } from './disbursement-access.ts';
import { type Disbursement, readDisbursementLists, waitsFor } from './list-disbursements.ts';

/** What somebody's first page says about requests. */
export interface HomeRequests {
  /** They are the one to decide. */
  decisions: Disbursement[];
  /** Open ones. Those who look after cases see all of their cases', whoever has waited longest first; others their own. */
  requests: Disbursement[];
  /** Those of them that the bank has sent back. */
  returned: Disbursement[];
  /** What they have written and not sent. */
  drafts: Disbursement[];
  /** Money that is at the bank, or has arrived within two weeks. */
  payments: Disbursement[];
}

/** Of each list; all of them are on the page of requests. */
const SHOWN = 20;
const ARRIVED_WITHIN_DAYS = 14;

/** The requests of somebody's first page, all in one statement. */
export async function listHomeRequests(
  db: Executor,
  user: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  now: Date,
): Promise<HomeRequests> {
  const found = await readDisbursementLists(db, user, homeLists(user, now), now);
  const list = (name: keyof HomeRequests) => found.get(name) ?? [];
  return {
    decisions: list('decisions'),
    requests: list('requests'),
    returned: list('returned'),
    drafts: list('drafts'),
    payments: list('payments'),
  };
}

function homeLists(user: Pick<User, 'id' | 'user_type' | 'agency_id'>, now: Date): Sql {
  const newest = sql`order by d.id desc limit ${SHOWN}`;
  const mine = concerning(user);
  const arrivedSince = new Date(now.getTime() - ARRIVED_WITHIN_DAYS * 86_400_000);
  const undecided = sql`d.status in ('submitted', 'approved', 'batched') and not (d.status = 'submitted'
    and d.approver_id is not distinct from ${user.id})`;
  return sql`
    (select 'decisions' as list, d.id, -d.id as place
       from (${visibleDisbursements(user, { conditions: waitsFor(user), newest: SHOWN })}) d ${newest})
    union all
    (select 'requests', d.id, (extract(epoch from d.status_since) * 1000000)::bigint
       from (${mine(undecided)}) d order by d.status_since, d.id limit ${SHOWN})
    union all
    (select 'returned', d.id, -d.id from (${mine(sql`d.status = 'returned'`)}) d ${newest})
    union all
    (select 'drafts', d.id, -d.id from disbursement_request d
      where d.created_by = ${user.id} and d.status = 'draft' and ${isOnVisibleCase(user)} ${newest})
    union all
    (select 'payments', d.id, row_number() over (order by d.status = 'paid', d.paid_at desc, d.id)
       from (${mine(sql`(d.status = 'batched' or d.status = 'paid' and d.paid_at > ${arrivedSince})`)}) d
      order by d.status = 'paid', d.paid_at desc, d.id limit ${SHOWN})`;
}

/**
 * Whose requests are somebody's own business: surrogates and staff those that they wrote or are paid by, all others every
 * request of their cases. Gives the requests among these that a condition on `disbursement_request d` holds for; it leaves out
 * drafts, which are their writer's own.
 */
function concerning(user: Pick<User, 'id' | 'user_type' | 'agency_id'>): (condition: Sql) => Sql {
  if (user.user_type !== 'surrogate' && user.user_type !== 'admin') {
    return (condition) => sql`select d.* from (${ownCases(user)}) k join disbursement_request d on d.case_id = k.case_id
      where ${condition}`;
  }
  return (condition) => sql`
    select d.* from disbursement_request d where d.created_by = ${user.id} and ${condition} and ${isOnVisibleCase(user)}
    union
    select d.* from disbursement_request d
     where d.payee_id = ${user.id} and ${condition} and ${isOnVisibleCase(user)}`;
}

function isOnVisibleCase(user: Pick<User, 'id' | 'user_type' | 'agency_id'>): Sql {
  return sql`exists (select from case_file c where c.id = d.case_id and ${disbursementIsVisible(user)})`;
}
