import { defineIdCursor } from '@case-platform/lib/cursor';
import type { Executor } from '@case-platform/lib/database';
import { invalid, NotFoundError } from '@case-platform/lib/errors';
import { allOf, isOneOf, limitTo, listOf, query, rowsFor, type Sql, sql, trustedSql } from '@case-platform/lib/sql';
import { adminHasPermission, canBeSecondPerson, type User } from '@case-platform/modules/accounts';
import { type CasePerson, caseIsVisible, designatedApprover, personJson } from '@case-platform/modules/cases';
import type { MovedBecause } from '@case-platform/words/whereabouts';
import { type BankReturn, HAS_OTHER_ACCOUNT, toBankReturn } from './bank-return.ts';
import { coverage } from './coverage.ts';
import {
  contentIsVisible,
  disbursementIsVisible,
  draftIsVisible,
  isForPayers,
  MAKERS,
  visibleDisbursements,
} from './disbursement-access.ts';
import type { DisbursementStatus } from './disbursement-states.ts';
import { DISBURSEMENT_VERSION, OUTLINE_VERSION } from './disbursement-version.ts';
import { PAYMENT_FACTS, type PaymentFactsJson, readPaymentFacts, toPaymentFacts } from './payable/payment-facts.ts';
import { hasNoDate, type NotPayable, type PaymentFacts, type PaymentStep, whyNotPayable } from './payable/why-not-payable.ts';
import {
  IS_FOR_CHANGED_ACCOUNT,
  type PayeeAccount,
  type PayeeAccountJson,
  payeeAccountFor,
} from './payee-account/payee-account.ts';
import { type Alarm, type AlarmJson, alarmFor, alarmWords } from './payment-stop/alarm.ts';
import { type Narrowed, searchRequests } from './search/search-requests.ts';
import { BANK_HAS_IT } from './whereabouts/bank-has-it.ts';
import { type DraftAgain, type Whereabouts, waitingFor, whereabouts } from './whereabouts/whereabouts.ts';

/** The fields that everyone sees who knows about the request (DRAFT-1). */
interface DisbursementOutline {
  id: number;
  /** Opaque; a decision names the version that was seen (REQUEST-9). */
  version: string;
  case_id: number;
  case_name: string;
  status: DisbursementStatus;
  /** The person who submitted it, or its creator if no one has. */
  submitted_by: CasePerson;
  submitted_at: Date | null;
  /** One line that names who has to act and since when; null once the request has ended (REQUEST-14). */
  waiting_for: string | null;
  waiting_since: Date | null;
  whereabouts: Whereabouts;
  created_at: Date;
  updated_at: Date;
}

/** The content of a request, and its results. */
interface DisbursementContent {
  amount_cents: number;
  category: string;
  description: string;
  payee: CasePerson;
  /** The person who has to decide, or who decided; null for staff with `approve_drs`. */
  approver: CasePerson | null;
  decided_at: Date | null;
  decision_reason: string | null;
  /** `YYYY-MM-DD`; null if no money is under way. */
  expected_bank_date: string | null;
  /** See `coverage`. */
  covered: boolean | null;
  paid_at: Date | null;
  returned_at: Date | null;
  /** The bank's return code, such as `R01`. */
  return_code: string | null;
  /** The return in words for the reader; null unless it is returned. */
  return: BankReturn | null;
  /** Why the next step is stopped, in words for everyone who reads the request; null if it is not. */
  not_payable: Pick<NotPayable, 'reason' | 'sentence'> | null;
  /** For those who may approve it; null for other readers, and without an account (BANK-9). */
  payee_account: PayeeAccount | null;
  /** For the person who stopped payments to its payee, and for staff of its case; null for other readers (BANK-10). */
  alarm: Alarm | null;
  /** The conversation in which it is discussed (REQUEST-13). */
  chain_id: number | null;
  scheduled_payment_id: number | null;
}

export interface Disbursement extends DisbursementOutline, DisbursementContent {
  has_content: true;
}

/** Another person's draft as staff of its case see it, without content (DRAFT-1). */
export type DraftOfAnother = DisbursementOutline & { [Name in keyof DisbursementContent]: null } & {
  has_content: false;
};

export interface DisbursementFilter {
  case_id?: number | undefined;
  status?: DisbursementStatus | readonly DisbursementStatus[] | undefined;
  /** Only together with `case_id`; compared without regard to case. */
  category?: string | undefined;
  /** A search, which finds only requests that the reader may read (REQUEST-21). */
  q?: string | undefined;
  waiting_for_me?: boolean | undefined;
  /** Only those that were approved for an account that the payee has since replaced (BANK-9). */
  for_changed_account?: boolean | undefined;
  /** Only requests of cases that this user sees, without those that they only pay. */
  on_own_cases?: boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** A reader of requests, by value and never an expression. */
export type Viewer = Pick<User, 'id' | 'user_type' | 'agency_id'>;
type Row = Omit<
  Disbursement,
  | 'waiting_for'
  | 'waiting_since'
  | 'whereabouts'
  | 'expected_bank_date'
  | 'return'
  | 'not_payable'
  | 'has_content'
  | 'payee_account'
  | 'alarm'
> & {
  payee_account: PayeeAccountJson | null;
  alarm: AlarmJson | null;
  status_since: Date;
  draft_again_because: DraftAgain | null;
  bank_date: string | null;
  bank_has_it: boolean;
  promised_date: string | null;
  promised_before: string | null;
  moved_because: MovedBecause | null;
  payment_facts: PaymentFactsJson | null;
  has_other_account: boolean | null;
};
/** Columns that every reader gets. */
type Outline = keyof DisbursementOutline | 'status_since' | 'draft_again_because';
type OutlineRow = { [Name in keyof Row]: Name extends Outline ? Row[Name] : null };
type SeenRow = (Row & { has_content: true }) | (OutlineRow & { has_content: false });

/** A column that someone who pays a request of a case that they do not see gets as null, because a payment does not need it (CASE-2). */
const ofCase = (column: Sql) => sql`case when seen.sees_case then ${column} end`;

/** The columns of the content. The query itself returns null for readers who may not see it. */
const contentFor = (reader: Viewer): Record<Exclude<keyof Row, Outline>, Sql> => ({
  amount_cents: sql`d.amount_cents`,
  category: sql`d.category`,
  description: sql`d.description`,
  payee: personJson('payee'),
  approver: ofCase(personJson('approver')),
  decided_at: ofCase(sql`d.decided_at`),
  decision_reason: ofCase(sql`d.decision_reason`),
  bank_date: sql`d.bank_date::text`,
  bank_has_it: BANK_HAS_IT,
  promised_date: sql`d.promised_date::text`,
  promised_before: sql`d.promised_before::text`,
  moved_because: sql`d.moved_because`,
  paid_at: sql`d.paid_at`,
  returned_at: sql`d.returned_at`,
  return_code: sql`d.return_code`,
  has_other_account: sql`case d.status when 'returned' then ${HAS_OTHER_ACCOUNT} end`,
  payment_facts: sql`case when d.status in ('submitted', 'approved', 'batched', 'returned') then ${PAYMENT_FACTS} end`,
  payee_account: payeeAccountFor(reader, mayDecide(reader)),
  alarm: alarmFor(reader, sql`seen.sees_case`),
  chain_id: ofCase(sql`d.chain_id`),
  scheduled_payment_id: ofCase(sql`d.scheduled_payment_id`),
  covered: coverage(reader),
});
const CURSOR = defineIdCursor('before');

/** @param without columns of the content that are read in another statement. */
function selectFor(reader: Viewer, without: readonly string[] = []): Sql {
  const columns = Object.entries(contentFor(reader)).filter(([name]) => !without.includes(name));
  const content = columns.map(([name, value]) => sql`case when seen.has_content then ${value} end as ${trustedSql(name)}`);
  return sql`select d.id, seen.has_content, d.case_id, c.name as case_name, d.status, d.status_since, d.draft_again_because,
    case when seen.has_content then ${DISBURSEMENT_VERSION} else ${OUTLINE_VERSION} end as version,
    ${personJson('maker')} as submitted_by, d.submitted_at, d.created_at, d.updated_at, ${listOf(content)}`;
}
interface ReadOptions {
  /** For an admin who may not read requests: finds only what is approved or later, and shows what a payment needs (CASE-2). */
  onlyPays?: boolean;
}

/**
 * The approver is looked up by one lateral query per request. In a plain join, PostgreSQL's cost estimate for the designated
 * approver sometimes makes it read all users first, depending on the statistics of the last VACUUM.
 */
const joinsFor = (reader: Viewer, { onlyPays = false }: ReadOptions = {}) => sql`join case_file c on c.id = d.case_id
  cross join lateral (
    select ${contentIsVisible(reader)} as has_content, ${onlyPays ? sql`false` : caseIsVisible(reader)} as sees_case) seen
  join user_account payee on payee.id = d.payee_id
  join user_account maker on maker.id = coalesce(d.submitted_by, d.created_by)
  left join lateral (
    select a.id, a.user_type, a.email_address, a.first_name, a.last_name from user_account a where a.id = coalesce(d.approver_id,
      case d.status when 'draft' then ${designatedApprover(MAKERS)} end) limit 1) approver on true`;

/** A condition: the user has to decide, because they are the approver, or because no one is and they have `approve_drs`. */
export function waitsFor(reader: Viewer): Sql {
  return sql`${mayDecide(reader)} and (d.approver_id = ${reader.id} or d.approver_id is null)`;
}

/** A condition: the user may decide, as the approver, or as staff with `approve_drs` in the approver's place. */
function mayDecide({ id }: Viewer): Sql {
  return sql`d.status = 'submitted' and (d.approver_id = ${id} or (
    ${adminHasPermission(id, 'approve_drs')} and ${canBeSecondPerson(id, MAKERS)}))`;
}

/** Lists the requests that a user sees, newest first, in keyset pages (REQUEST-17). */
export async function listDisbursements(
  db: Executor,
  user: Viewer,
  filter: DisbursementFilter,
  now: Date,
): Promise<{ data: (Disbursement | DraftOfAnother)[]; next_cursor: string | null }> {
  const { limit = 25 } = filter;
  const newest = rowsFor(limit);
  const q = filter.q?.trim() ?? '';
  const narrow = ({ conditions, ...narrowed }: Narrowed) =>
    requestsOf(user, { ...filter, ...narrowed, conditions: [contentIsVisible(user), ...conditions] });
  const page =
    q === ''
      ? requestsOf(user, { ...filter, newest })
      : sql`select unnest(${await searchRequests(db, q, newest, narrow)}::bigint[]) as id`;
  const rows = await query<SeenRow>(db, listDisbursementsStatement(user, page, newest));
  const data = rows.slice(0, limit).map((row) => toDisbursement(row, user, now));
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last === undefined ? null : CURSOR.write(last.id) };
}

/** The statement behind `listDisbursements`: limits the page before names are joined, so that no plan reads everyone's names. */
function listDisbursementsStatement(user: Viewer, page: Sql, newest: number): Sql {
  const order = sql`order by d.id desc ${limitTo(newest)}`;
  return sql`${selectFor(user)} from (select d.id from (${page}) d ${order}) page
    join disbursement_request d on d.id = page.id ${joinsFor(user)} ${order}`;
}

/** A statement of the newest requests that a user sees and that the filter leaves, by id. */
function requestsOf(
  user: Viewer,
  { newest, isFew = false, conditions: given = [], ...filter }: DisbursementFilter & Partial<Narrowed> & Pick<Narrowed, 'newest'>,
): Sql {
  const { case_id, status, category, cursor } = filter;
  const conditions = [...given];
  if (status !== undefined) conditions.push(isOneOf(sql`d.status`, status));
  if (category !== undefined) {
    if (case_id === undefined) throw invalid('category', 'Choose a case to see one category.');
    conditions.push(sql`lower(d.category) = lower(${category})`, contentIsVisible(user));
  }
  if (cursor !== undefined) conditions.push(sql`d.id < ${CURSOR.read(cursor)}`);
  if (filter.waiting_for_me === true) conditions.push(waitsFor(user));
  if (filter.for_changed_account === true) conditions.push(IS_FOR_CHANGED_ACCOUNT);
  const onlyOwn = filter.on_own_cases === true;
  const isVisible = onlyOwn ? caseIsVisible(user) : disbursementIsVisible(user);
  if (case_id === undefined && !isFew) return visibleDisbursements(user, { conditions: allOf(conditions), newest, onlyOwn });
  if (case_id !== undefined) conditions.push(sql`d.case_id = ${case_id}`);
  return sql`select d.id from disbursement_request d join case_file c on c.id = d.case_id
    where ${allOf([...conditions, isVisible, draftIsVisible(user)])} order by d.id desc ${limitTo(newest)}`;
}

/**
 * Reads the requests of several lists, without drafts of others. Their payment facts are read in a second statement, which
 * keeps the plan of the first one small.
 * @param lists rows `(list, id, place)` of requests that the reader sees; `place` is the order within a list.
 */
export async function readDisbursementLists(
  db: Executor,
  reader: Viewer,
  lists: Sql,
  now: Date,
): Promise<ReadonlyMap<string, Disbursement[]>> {
  const rows = await query<SeenRow & { list: string }>(
    db,
    sql`${selectFor(reader, ['payment_facts'])}, page.list from (${lists}) page join disbursement_request d on d.id = page.id ${joinsFor(reader)}
        order by page.list, page.place`,
  );
  const payable = rows.filter(({ status, has_content }) => has_content && NEXT_STEP[status] !== undefined);
  const facts = await readPaymentFacts(db, [...new Set(payable.map(({ id }) => id))]);
  const factsOf = new Map(facts.map((one) => [one.disbursement_id, one]));
  const requests = new Map<string, Disbursement[]>();
  for (const { list, ...row } of rows) {
    const one = toDisbursement({ ...row, payment_facts: null }, reader, now, factsOf.get(row.id) ?? null);
    if (one.has_content) requests.set(list, [...(requests.get(list) ?? []), one]);
  }
  return requests;
}

export async function findDisbursement(
  db: Executor,
  user: Viewer,
  id: number,
  now: Date,
  options: ReadOptions = {},
): Promise<Disbursement | DraftOfAnother | null> {
  const isVisible = options.onlyPays ? isForPayers(user) : sql`${disbursementIsVisible(user)} and ${draftIsVisible(user)}`;
  const [row] = await query<SeenRow>(
    db,
    sql`${selectFor(user)} from disbursement_request d ${joinsFor(user, options)} where d.id = ${id} and ${isVisible}`,
  );
  return row === undefined ? null : toDisbursement(row, user, now);
}

/** @throws {NotFoundError} if the request does not exist, or this user does not see it. */
export async function getDisbursement(
  db: Executor,
  user: Viewer,
  id: number,
  now: Date,
  options: ReadOptions = {},
): Promise<Disbursement | DraftOfAnother> {
  const request = await findDisbursement(db, user, id, now, options);
  if (request === null) throw new NotFoundError();
  return request;
}

/** The next step of each state that a problem with the payee or the account can stop. */
const NEXT_STEP: Partial<Record<DisbursementStatus, PaymentStep>> = {
  submitted: 'approve',
  approved: 'send',
  batched: 'send',
  returned: 'retry',
};

/** @param read facts from another statement, instead of those of the row. */
function toDisbursement(
  row: SeenRow,
  reader: Pick<User, 'id'>,
  now: Date,
  read: PaymentFacts | null = null,
): Disbursement | DraftOfAnother {
  const { status_since, draft_again_because, bank_date, bank_has_it, payment_facts, has_other_account, ...rest } = row;
  const { promised_date, promised_before, moved_because, ...request } = rest;
  if (!request.has_content) {
    const unread = { return: null, not_payable: null, expected_bank_date: null };
    const outline = { ...request, status_since, draft_again_because, return: null, bank_has_it: false };
    const facts = {
      ...outline,
      bank_date: null,
      usable_from: null,
      problem: null,
      lacks_account: false,
      has_no_date: true,
      promised: null,
    };
    const place = whereabouts(facts, now);
    return { ...request, ...unread, ...waitingOf(place), whereabouts: place };
  }
  const { status } = request;
  const back = toBankReturn({ ...request, has_other_account }, reader);
  // Nothing stops a payment that the bank has.
  const facts = bank_has_it === true ? null : (read ?? (payment_facts && toPaymentFacts(payment_facts)));
  const step = NEXT_STEP[status];
  const problem = facts === null || step === undefined ? null : whyNotPayable(facts, step, now);
  const alarm = request.alarm && { ...request.alarm, raised_at: new Date(request.alarm.raised_at) };
  const sentence =
    problem?.reason === 'under_review' && alarm !== null ? alarmWords(alarm, request.payee.name) : problem?.sentence;
  const not_payable = problem === null || sentence === undefined ? null : { reason: problem.reason, sentence };
  const shared = { ...request, status_since, draft_again_because, bank_date, bank_has_it: bank_has_it === true, return: back };
  const isPromised = promised_date !== null || moved_because !== null;
  const place = whereabouts(
    {
      ...shared,
      usable_from: facts?.account?.usable_from ?? null,
      problem: not_payable?.sentence ?? null,
      lacks_account: facts !== null && facts.account === null,
      has_no_date: request.covered === false || (facts !== null && hasNoDate(facts, now)),
      promised: isPromised ? { date: promised_date, before: promised_before, because: moved_because } : null,
    },
    now,
  );
  const account = request.payee_account;
  const payee_account = account && { ...account, changed_at: new Date(account.changed_at) };
  const result = { ...request, payee_account, alarm, return: back, not_payable, ...waitingOf(place) };
  return { ...result, expected_bank_date: place.arrives?.date ?? null, whereabouts: place };
}

function waitingOf(place: Whereabouts): Pick<Disbursement, 'waiting_for' | 'waiting_since'> {
  const waiting_for = waitingFor(place);
  return { waiting_for, waiting_since: waiting_for === null ? null : place.since };
}
