import type { Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { fullName, type User } from '@case-platform/modules/accounts';
import { type CasePerson, caseIsVisible, designatedApprover, personJson } from '@case-platform/modules/cases';
import { BANK_ZONE } from '@case-platform/words/bank-days';
import { startOfDay } from '@case-platform/words/days';
import { MAKERS } from '../disbursement-access.ts';
import { batchDay, CUT_OFF_HOUR } from '../whereabouts/expected-bank-date.ts';
import { whereabouts } from '../whereabouts/whereabouts.ts';
import { PAYMENT_FACTS, type PaymentFactsJson, toPaymentFacts } from './payment-facts.ts';
import { hasNoDate, whyNotPayable } from './why-not-payable.ts';

/** Someone who can be chosen as the payee of a new request, and what would become of the request if it were sent now. */
export interface Payee extends CasePerson {
  /** The person who would decide; null for staff. */
  approver: CasePerson | null;
  /** As in `whereabouts` of the request; null while no day is known. */
  arrives: { date: string; if: string | null } | null;
  /** The last moment for the approval on which `arrives` depends. */
  decide_by: Date | null;
  /** True if the payee has no bank account yet, on which `arrives` depends too. */
  needs_account: boolean;
  /** Why nothing can be sent to the payee's bank now, in words; null if it can. */
  why: string | null;
}

interface Row {
  /** Null if there is no one to choose. */
  payee: CasePerson | null;
  writer: string;
  approver: CasePerson | null;
  facts: PaymentFactsJson;
}

const HOUR_MS = 3_600_000;

/**
 * Lists the people whom a user can choose as the payee of a request (REQUEST-20): a surrogate only chooses herself; everyone else
 * chooses themselves, unless they are staff, and people on the case. The dates come from the same functions as those of requests.
 * @throws {NotFoundError} for a case that the user does not see.
 */
export async function listPayees(db: Executor, user: User, caseId: number, now: Date): Promise<Payee[]> {
  const rows = await query<Row>(
    db,
    sql`select ${personJson('payee')} as payee, ${fullName(sql`writer`)} as writer, ${personJson('approver')} as approver,
               ${PAYMENT_FACTS} as facts
          from case_file c
          join user_account writer on writer.id = ${user.id}
          left join user_account payee on payee.status = 'active' and payee.user_type <> 'admin' and (
            payee.id = writer.id or (writer.user_type <> 'surrogate' and exists (
              select from case_participant p where p.case_id = c.id and p.user_id = payee.id and p.left_at is null)))
         cross join lateral jsonb_populate_record(null::disbursement_request, jsonb_build_object(
           'id', 0, 'case_id', c.id, 'payee_id', payee.id, 'created_by', writer.id, 'status', 'submitted')) d
          left join lateral (
            select a.* from user_account a where a.id = ${designatedApprover(MAKERS)} limit 1) approver on true
         where c.id = ${caseId} and ${caseIsVisible(user)}
         order by payee.id <> writer.id, payee.user_type <> 'surrogate', payee.user_type <> 'ip', payee.id`,
  );
  if (rows.length === 0) throw new NotFoundError();
  return rows.flatMap(({ payee, ...row }) => (payee === null ? [] : [toPayee(payee, row, now)]));
}

function toPayee(payee: CasePerson, { writer, approver, facts: json }: Omit<Row, 'payee'>, now: Date): Payee {
  const facts = toPaymentFacts(json);
  const usable_from = facts.account?.usable_from ?? null;
  const needs_account = facts.account === null;
  const has_no_date = hasNoDate(facts, now);
  const { arrives } = whereabouts(
    {
      status: 'submitted',
      status_since: now,
      draft_again_because: null,
      submitted_by: { name: writer },
      approver,
      payee,
      return: null,
      decision_reason: null,
      bank_has_it: false,
      bank_date: null,
      usable_from,
      problem: null,
      lacks_account: needs_account,
      has_no_date,
      promised: null,
    },
    now,
  );
  const decide_by = arrives === null ? null : cutOffOf(batchDay(usable_from, now));
  const why = has_no_date ? (whyNotPayable(facts, 'send', now)?.sentence ?? null) : null;
  return { ...payee, approver, arrives, decide_by, needs_account, why };
}

/** The moment after which an approval is too late for the batch of a banking day. Clocks never change on a banking day. */
function cutOffOf(day: string): Date | null {
  const start = startOfDay(day, BANK_ZONE);
  return start === undefined ? null : new Date(start.getTime() + CUT_OFF_HOUR * HOUR_MS);
}
