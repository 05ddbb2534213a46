import { defineIdCursor } from '@case-platform/lib/cursor';
import type { Executor } from '@case-platform/lib/database';
import { invalid, NotFoundError } from '@case-platform/lib/errors';
import { allOf, listOf, query, type Sql, sql, trustedSql } from '@case-platform/lib/sql';
import { adminHasPermission, mayBeSecond, type User } from '@case-platform/modules/accounts';
import { type CasePerson, caseIsVisible, designatedApprover, personJson } from '@case-platform/modules/cases';
import { type BankReturn, HAS_OTHER_ACCOUNT, toBankReturn } from './bank-return.ts';
import { coverage } from './coverage.ts';
import {
  contentIsVisible,
  disbursementIsVisible,
  draftIsVisible,
  MAKERS,
  visibleDisbursements,
} from './disbursement-access.ts';
import type { DisbursementStatus } from './disbursement-states.ts';
import { DISBURSEMENT_VERSION, OUTLINE_VERSION } from './disbursement-version.ts';
import { expectedBankDate } from './expected-bank-date.ts';
import { PAYMENT_FACTS, type PaymentFactsJson, toPaymentFacts } from './payable/payment-facts.ts';
import { type NotPayable, type PaymentStep, whyNotPayable } from './payable/why-not-payable.ts';
import { waitingFor } from './waiting-for.ts';

/** What is known of a request by everybody who knows of it. */
interface DisbursementOutline {
  id: number;
  /** Opaque; a decision names the version that was seen (REQUEST-9). */
  version: string;
  case_id: number;
  case_name: string;
  status: DisbursementStatus;
  /** Who has sent it, or, while nobody has, who has written it. */
  submitted_by: CasePerson;
  submitted_at: Date | null;
  /** One line: whom it waits for, and since when; null at its end. */
  waiting_for: string | null;
  waiting_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** What a request says, and what has come of that. */
interface DisbursementContent {
  amount_cents: number;
  category: string;
  description: string;
  payee: CasePerson;
  /** Who is to decide, and afterwards who did; null: staff who may approve. Told by whom it is that is paid. */
  approver: CasePerson | null;
  decided_at: Date | null;
  decision_reason: string | null;
  /** A day, `YYYY-MM-DD`; null where no money is under way. */
  expected_bank_date: string | null;
  /** Whether the case has this much available now; null as `coverage` says. */
  covered: boolean | null;
  paid_at: Date | null;
  returned_at: Date | null;
  /** The bank's reason, `R01` and so on. */
  return_code: string | null;
  /** The same in words, for the reader; null unless it is returned. */
  return: BankReturn | null;
  /** Why its next step is stopped, in words that everyone who reads the request may know; null when it is not. */
  not_payable: Pick<NotPayable, 'reason' | 'sentence'> | null;
  /** Where it is talked about. */
  chain_id: number | null;
  /** The line of the calendar that it pays, and that says for what and how much. */
  scheduled_payment_id: number | null;
}

/** A request for money of a case (REQUEST-1). */
export interface Disbursement extends DisbursementOutline, DisbursementContent {
  has_content: true;
}

/** Another person's draft, as the staff of its case see it: that it exists (DRAFT-1). */
export type DraftOfAnother = DisbursementOutline & { [Name in keyof DisbursementContent]: null } & {
  has_content: false;
};

export interface DisbursementFilter {
  case_id?: number | undefined;
  status?: DisbursementStatus | undefined;
  /** Of one case only, so that no list is longer than a case's: compared without regard to capitals. */
  category?: string | undefined;
  /** Only those that this user is the one to decide. */
  waiting_for_me?: boolean | undefined;
  /** Only those of cases that this user sees, and not those that they see as requests alone. */
  on_own_cases?: boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Somebody who reads requests: the person themselves, never an expression. */
export type Viewer = Pick<User, 'id' | 'user_type' | 'agency_id'>;
type Row = Omit<
  Disbursement,
  'waiting_for' | 'waiting_since' | 'expected_bank_date' | 'return' | 'not_payable' | 'has_content'
> & {
  status_since: Date;
  bank_date: string | null;
  payment_facts: PaymentFactsJson | null;
  has_other_account: boolean | null;
};
type OutlineRow = { [Name in keyof Row]: Name extends keyof DisbursementOutline | 'status_since' ? Row[Name] : null };
type SeenRow = (Row & { has_content: true }) | (OutlineRow & { has_content: false });

/** The columns about what a request says: null, by the query itself, for those who only know that it is there. */
const contentFor = (reader: Viewer): Record<Exclude<keyof Row, keyof DisbursementOutline | 'status_since'>, Sql> => ({
  amount_cents: sql`d.amount_cents`,
  category: sql`d.category`,
  description: sql`d.description`,
  payee: personJson('payee'),
  approver: personJson('approver'),
  decided_at: sql`d.decided_at`,
  decision_reason: sql`d.decision_reason`,
  bank_date: sql`d.bank_date::text`,
  paid_at: sql`d.paid_at`,
  returned_at: sql`d.returned_at`,
  return_code: sql`d.return_code`,
  has_other_account: sql`case d.status when 'returned' then ${HAS_OTHER_ACCOUNT} end`,
  payment_facts: sql`case when d.status in ('submitted', 'approved', 'returned') then ${PAYMENT_FACTS} end`,
  chain_id: sql`d.chain_id`,
  scheduled_payment_id: sql`d.scheduled_payment_id`,
  covered: coverage(reader),
});
const CURSOR = defineIdCursor('before');

function selectFor(reader: Viewer): Sql {
  const content = Object.entries(contentFor(reader)).map(
    ([name, value]) => sql`case when seen.has_content then ${value} end as ${trustedSql(name)}`,
  );
  return sql`select d.id, seen.has_content, d.case_id, c.name as case_name, d.status, d.status_since,
    case when seen.has_content then ${DISBURSEMENT_VERSION} else ${OUTLINE_VERSION} end as version,
    ${personJson('maker')} as submitted_by, d.submitted_at, d.created_at, d.updated_at, ${listOf(content)}`;
}
/**
 * The approver is looked up one request at a time: whom a draft is designated to costs so much by the planner's guess that it
 * would otherwise now and then read everybody into a table of its own, by what VACUUM has last seen.
 */
const joinsFor = (reader: Pick<User, 'id'>) => sql`join case_file c on c.id = d.case_id
  cross join lateral (select ${contentIsVisible(reader)} as has_content) seen
  join user_account payee on payee.id = d.payee_id
  join user_account maker on maker.id = coalesce(d.submitted_by, d.created_by)
  left join lateral (
    select a.* from user_account a where a.id = coalesce(d.approver_id,
      case d.status when 'draft' then ${designatedApprover(MAKERS)} end) limit 1) approver on true`;

/** What a user is the one to decide: those designated to them, and for staff with `approve_drs` those designated to nobody. */
export function waitsFor({ id }: Viewer): Sql {
  return sql`d.status = 'submitted' and (d.approver_id = ${id} or (
    d.approver_id is null and ${adminHasPermission(id, 'approve_drs')} and ${mayBeSecond(id, MAKERS)}))`;
}

/** The requests that a user sees, the newest first, one keyset page. */
export async function listDisbursements(
  db: Executor,
  user: Viewer,
  filter: DisbursementFilter = {},
  now = new Date(),
): Promise<{ data: (Disbursement | DraftOfAnother)[]; next_cursor: string | null }> {
  const { limit = 25 } = filter;
  const rows = await query<SeenRow>(db, listDisbursementsStatement(user, { ...filter, limit: limit + 1 }));
  const data = rows.slice(0, limit).map((row) => toDisbursement(row, user, now));
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last === undefined ? null : CURSOR.write(last.id) };
}

/** The statement of `listDisbursements`, for the test that looks at its plan. */
export function listDisbursementsStatement(user: Viewer, filter: DisbursementFilter & { limit: number }): Sql {
  const { case_id, status, category, cursor } = filter;
  const order = sql`order by d.id desc limit ${filter.limit}`;
  const conditions: Sql[] = [];
  if (status !== undefined) conditions.push(sql`d.status = ${status}`);
  if (category !== undefined) {
    if (case_id === undefined) throw invalid('category', 'Choose a case to see one category.');
    conditions.push(sql`lower(d.category) = lower(${category})`, contentIsVisible(user));
  }
  if (cursor !== undefined) conditions.push(sql`d.id < ${CURSOR.read(cursor)}`);
  if (filter.waiting_for_me === true) conditions.push(waitsFor(user));
  const onlyOwn = filter.on_own_cases === true;
  const isVisible = onlyOwn ? caseIsVisible(user) : disbursementIsVisible(user);
  const page =
    case_id === undefined
      ? visibleDisbursements(user, { conditions: allOf(conditions), newest: filter.limit, onlyOwn })
      : sql`select d.id from disbursement_request d join case_file c on c.id = d.case_id
          where ${allOf([sql`d.case_id = ${case_id}`, isVisible, draftIsVisible(user), ...conditions])} ${order}`;
  // The page is cut before its names are looked up, so that no plan looks up everybody's.
  return sql`${selectFor(user)} from (select d.id from (${page}) d ${order}) page
    join disbursement_request d on d.id = page.id ${joinsFor(user)} ${order}`;
}

/**
 * The requests of several lists at once, but for drafts of others.
 * @param lists rows `(list, id, place)` of requests that the reader sees, `place` being the order within each list.
 */
export async function readDisbursementLists(
  db: Executor,
  reader: Viewer,
  lists: Sql,
  now: Date,
): Promise<ReadonlyMap<string, Disbursement[]>> {
  const rows = await query<SeenRow & { list: string }>(
    db,
    sql`${selectFor(reader)}, page.list from (${lists}) page join disbursement_request d on d.id = page.id ${joinsFor(reader)}
        order by page.list, page.place`,
  );
  const found = new Map<string, Disbursement[]>();
  for (const { list, ...row } of rows) {
    const one = toDisbursement(row, reader, now);
    if (one.has_content) found.set(list, [...(found.get(list) ?? []), one]);
  }
  return found;
}

/** One request, or null when this user does not see it. */
export async function findDisbursement(
  db: Executor,
  user: Viewer,
  id: number,
  now = new Date(),
): Promise<Disbursement | DraftOfAnother | null> {
  const [row] = await query<SeenRow>(
    db,
    sql`${selectFor(user)} from disbursement_request d ${joinsFor(user)}
      where d.id = ${id} and ${disbursementIsVisible(user)} and ${draftIsVisible(user)}`,
  );
  return row === undefined ? null : toDisbursement(row, user, now);
}

/** @throws {NotFoundError} when there is none, or this user does not see it. */
export async function getDisbursement(
  db: Executor,
  user: Viewer,
  id: number,
  now = new Date(),
): Promise<Disbursement | DraftOfAnother> {
  const found = await findDisbursement(db, user, id, now);
  if (found === null) throw new NotFoundError();
  return found;
}

/** Which step a request is waiting for that its payee or their account can stop. */
const NEXT_STEP: Partial<Record<DisbursementStatus, PaymentStep>> = {
  submitted: 'approve',
  approved: 'send',
  returned: 'retry',
};

function toDisbursement(row: SeenRow, reader: Pick<User, 'id'>, now: Date): Disbursement | DraftOfAnother {
  const { status_since, bank_date, payment_facts, has_other_account, ...request } = row;
  if (!request.has_content) {
    const unread = { return: null, not_payable: null, expected_bank_date: null };
    return { ...request, ...unread, ...waitingOf({ ...request, status_since, return: null }) };
  }
  const { status } = request;
  const back = toBankReturn({ ...request, has_other_account }, reader);
  const facts = payment_facts === null ? null : toPaymentFacts(payment_facts);
  const step = NEXT_STEP[status];
  const problem = facts === null || step === undefined ? null : whyNotPayable(facts, step, now);
  const not_payable = problem === null ? null : { reason: problem.reason, sentence: problem.sentence };
  // Nobody knows when money arrives that may not be approved, or waits for a deposit. Readers who may not see coverage still get a date.
  const isStopped = request.covered === false || (facts !== null && whyNotPayable(facts, 'approve', now) !== null);
  const usable_from = status === 'approved' ? (facts?.account?.usable_from ?? null) : null;
  const expected_bank_date = isStopped ? null : expectedBankDate({ status, bank_date, usable_from }, now);
  const waiting = waitingOf({ ...request, status_since, return: back });
  return { ...request, return: back, not_payable, expected_bank_date, ...waiting };
}

function waitingOf(request: Parameters<typeof waitingFor>[0]): Pick<Disbursement, 'waiting_for' | 'waiting_since'> {
  const waiting_for = waitingFor(request);
  return { waiting_for, waiting_since: waiting_for === null ? null : request.status_since };
}
