import type { Executor } from '@case-platform/lib/database';
import { limitTo, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { ownCases } from '@case-platform/modules/cases';
import { disbursementIsVisible, visibleDisbursements } from './disbursement-access.ts';
import { type Disbursement, readDisbursementLists, waitsFor } from './list-disbursements.ts';
import { IS_FOR_CHANGED_ACCOUNT } from './payee-account/payee-account.ts';

/** The requests on a person's home page (HOME-1). */
export interface HomeRequests {
  /** The newest that wait for the reader, and all that were approved for an account that the payee has replaced (BANK-9). */
  decisions: Disbursement[];
  /** Open requests: for surrogates and staff their own, for everyone else all of their cases, longest waiting first. */
  requests: Disbursement[];
  returned: Disbursement[];
  drafts: Disbursement[];
  /** Payments at the bank, and those that arrived in the last two weeks. */
  payments: Disbursement[];
}

/** Per list; the page of requests shows all of them. */
const SHOWN = 20;
/** Those for changed accounts are all shown, because the reader decides about all of them at once. */
const CHANGED_MAX = 200;
const ARRIVED_WITHIN_DAYS = 14;

/** Reads the requests of a home page. */
export async function listHomeRequests(
  db: Executor,
  user: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  now: Date,
): Promise<HomeRequests> {
  const lists = await readDisbursementLists(db, user, homeLists(user, now), now);
  const list = (name: keyof HomeRequests) => lists.get(name) ?? [];
  return {
    decisions: list('decisions'),
    requests: list('requests'),
    returned: list('returned'),
    drafts: list('drafts'),
    payments: list('payments'),
  };
}

function homeLists(user: Pick<User, 'id' | 'user_type' | 'agency_id'>, now: Date): Sql {
  const newest = sql`order by d.id desc ${limitTo(SHOWN)}`;
  const mine = concerning(user);
  const arrivedSince = new Date(now.getTime() - ARRIVED_WITHIN_DAYS * 86_400_000);
  const undecided = sql`d.status in ('submitted', 'approved', 'batched') and not (d.status = 'submitted'
    and d.approver_id is not distinct from ${user.id})`;
  return sql`
    ((select 'decisions' as list, d.id, -d.id as place
        from (${visibleDisbursements(user, { conditions: waitsFor(user), newest: SHOWN })}) d ${newest})
     union
     (select 'decisions', d.id, -d.id from disbursement_request d
       where d.status = 'submitted' and d.approver_id = ${user.id} and ${IS_FOR_CHANGED_ACCOUNT} and ${isOnVisibleCase(user)}
       order by d.id desc ${limitTo(CHANGED_MAX)}))
    union all
    (select 'requests', d.id, (extract(epoch from d.status_since) * 1000000)::bigint
       from (${mine(undecided)}) d order by d.status_since, d.id ${limitTo(SHOWN)})
    union all
    (select 'returned', d.id, -d.id from (${mine(sql`d.status = 'returned'`)}) d ${newest})
    union all
    (select 'drafts', d.id, -d.id from disbursement_request d
      where d.created_by = ${user.id} and d.status = 'draft' and ${isOnVisibleCase(user)} ${newest})
    union all
    (select 'payments', d.id, row_number() over (order by d.status = 'paid', d.paid_at desc, d.id)
       from (${mine(sql`(d.status = 'batched' or d.status = 'paid' and d.paid_at > ${arrivedSince})`)}) d
      order by d.status = 'paid', d.paid_at desc, d.id ${limitTo(SHOWN)})`;
}

/**
 * Returns a query for the requests that concern a user and match a condition on `disbursement_request d`: for surrogates and
 * staff the requests that they wrote or are paid by, for everyone else all requests of their cases. Conditions must exclude
 * drafts, which only their makers read.
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
