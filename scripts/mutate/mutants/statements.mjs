import { text } from './write.mjs';

const B = 'modules/banking';
const STATEMENT = `${B}/statements/case-statement.ts`;
const PAYMENTS = `${B}/statements/own-payments.ts`;
const PERIOD = `${B}/statements/period.ts`;
const PROJECTION = `${B}/projection/case-projection.ts`;
const WARNING = `${B}/projection/warn-of-shortfalls.ts`;
const PROOF = `${B}/proof/proof-of-funds.ts`;
const HOME = 'modules/disbursements/list-home-requests.ts';
const TIMELINE = 'modules/overview/case-timeline.ts';
const SUMS = `${B}/statements/case-statement.test.ts`;
const API = 'test/api/statements';
const DRAFTS = 'test/admin/disbursements/every-state.test.ts';

/** Where the money is: statements, the months ahead, proofs, first pages, what happened (decisions, section 14). */
export const STATEMENTS = [
  text(
    'a statement is for everybody',
    STATEMENT,
    '${caseId} and ${balanceIsVisible(reader)}',
    '${caseId}',
    `${API}/statement.test.ts`,
  ),
  text(
    'a statement opens with nothing',
    STATEMENT,
    'select coalesce(sum(p.amount_cents), 0)::bigint as cents',
    'select 0::bigint as cents',
    SUMS,
  ),
  text(
    'a statement opens with what its first day has moved',
    STATEMENT,
    't.created_at < ${startOfBankDay(from)}',
    't.created_at < ${startOfBankDay(from, 1)}',
    SUMS,
  ),
  text('a statement ends the day before its last', STATEMENT, 'startOfBankDay(to, 1)', 'startOfBankDay(to)', SUMS),
  text(
    'a statement leaves out the first moment of its first day',
    STATEMENT,
    't.created_at >= ${startOfBankDay(from)}',
    't.created_at > ${startOfBankDay(from)}',
    SUMS,
  ),
  text(
    'a balance forgets what it opened with',
    STATEMENT,
    '(opening.cents + sum(m.amount_cents)',
    '(sum(m.amount_cents)',
    SUMS,
  ),
  text(
    'a statement without movements closes with nothing',
    STATEMENT,
    'data.at(-1)?.balance_cents ?? first.opening_cents',
    'data.at(-1)?.balance_cents ?? 0',
    SUMS,
  ),
  text(
    'a long statement is cut',
    STATEMENT,
    'if (rows.length > STATEMENT_MAX)',
    'if (rows.length < 0)',
    `${API}/statement-sizes.test.ts`,
  ),
  text(
    'a statement’s days are those of Greenwich',
    PERIOD,
    "::timestamp at time zone 'America/New_York')",
    "::timestamp at time zone 'UTC')",
    SUMS,
  ),
  text(
    'a movement’s day is that of Greenwich',
    PERIOD,
    "at time zone 'America/New_York')::date::text",
    "at time zone 'UTC')::date::text",
    SUMS,
  ),
  text(
    'a period has any number of days',
    PERIOD,
    'if (days > PERIOD_MAX_DAYS)',
    'if (days > 100 * PERIOD_MAX_DAYS)',
    `${API}/statement.test.ts`,
  ),
  text(
    'a year of 366 days is too long',
    PERIOD,
    'daysBetween(period.from, period.to) + 1',
    'daysBetween(period.from, period.to) + 2',
    SUMS,
  ),
  text(
    'what was paid to others is shown to everybody',
    PAYMENTS,
    'where d.payee_id = ${payee.id} and',
    'where',
    `${API}/statement.test.ts`,
  ),
  text('what came back was paid', PAYMENTS, "state === 'paid')", 'state !== undefined)', SUMS),
  text(
    'what came back before it was paid again takes both away',
    PAYMENTS,
    'and (r.created_at, r.id) > (t.created_at, t.id)',
    '',
    SUMS,
  ),
  text(
    'a long list of payments is cut',
    PAYMENTS,
    'if (data.length > STATEMENT_MAX)',
    'if (data.length < 0)',
    `${API}/statement-sizes.test.ts`,
  ),
  text(
    'a PDF is made however long it is',
    `${B}/statements/statement-pdf.ts`,
    'if (sheet.rows.length > STATEMENT_PDF_MAX)',
    'if (sheet.rows.length < 0)',
    `${API}/statement-sizes.test.ts`,
  ),
  text(
    'a file says what was paid as what was paid in',
    `${B}/statements/statement-csv.ts`,
    "${cents < 0 ? '-' : ''}",
    '',
    `${API}/statement.test.ts`,
  ),

  text(
    'what a case will have is for everybody',
    PROJECTION,
    '${caseId} and ${balanceIsVisible(reader)}',
    '${caseId}',
    `${API}/projection.test.ts`,
  ),
  text(
    'what is overdue is planned no more',
    PROJECTION,
    'greatest(to_char(s.due_date',
    'concat(to_char(s.due_date',
    `${API}/projection.test.ts`,
  ),
  text(
    'what is set aside is planned once more',
    PROJECTION,
    "d.status in ('approved', 'batched', 'paid')",
    "d.status in ('paid')",
    `${API}/projection.test.ts`,
  ),
  text(
    'each month begins with what there is today',
    PROJECTION,
    'left -= planned_cents;\n    return { month, planned_cents, available_cents: left };',
    'return { month, planned_cents, available_cents: left - planned_cents };',
    `${API}/projection.test.ts`,
  ),
  text(
    'a case without a cent left falls short',
    PROJECTION,
    'available_cents < 0',
    'available_cents <= 0',
    `${API}/projection.test.ts`,
  ),
  text(
    'who has left the case is told that it falls short',
    WARNING,
    'where p.case_id = ${caseId} and p.left_at is null',
    'where p.case_id = ${caseId}',
    `${API}/projection.test.ts`,
  ),

  text(
    'a proof is for everybody',
    PROOF,
    '${caseId} and ${balanceIsVisible(actor)}',
    '${caseId}',
    `${API}/proof-of-funds.test.ts`,
  ),
  text(
    'a proof holds whatever has gone since',
    PROOF,
    'and p.amount_cents <= (select',
    'and 0 <= (select',
    `${API}/proof-of-funds.test.ts`,
  ),
  text(
    'a proof of a closed case holds',
    PROOF,
    "p.expires_at > ${now} and c.status not in ('closed', 'cancelled')",
    'p.expires_at > ${now}',
    `${API}/proof-of-funds.test.ts`,
  ),
  text(
    'a proof holds for ever',
    PROOF,
    'p.expires_at > ${now} and c.status',
    'c.status',
    `${API}/proof-of-funds.test.ts`,
  ),
  text(
    'a proof counts what is set aside',
    PROOF,
    "where b.case_id = c.id and b.account = 'funds') as cents,",
    "where b.case_id = c.id and b.account <> 'cash') as cents,",
    `${API}/proof-of-funds.test.ts`,
  ),

  text(
    'a first page shows requests of cases that one has left',
    HOME,
    'where d.created_by = ${user.id} and ${condition} and ${isOnVisibleCase(user)}',
    'where d.created_by = ${user.id} and ${condition}',
    'test/api/home/home.test.ts',
  ),
  text(
    'a first page shows payments of cases that one has left',
    HOME,
    'where d.payee_id = ${user.id} and ${condition} and ${isOnVisibleCase(user)}',
    'where d.payee_id = ${user.id} and ${condition}',
    'test/api/home/home.test.ts',
  ),
  text(
    'a first page shows drafts of cases that one has left',
    HOME,
    "d.status = 'draft' and ${isOnVisibleCase(user)}",
    "d.status = 'draft'",
    'test/api/home/home.test.ts',
  ),
  text(
    'a payment of long ago has just arrived',
    HOME,
    "d.status = 'paid' and d.paid_at > ${arrivedSince}",
    "d.status = 'paid'",
    'test/api/home/home.test.ts',
  ),
  text(
    'a story tells surrogates what was paid in',
    TIMELINE,
    "t.kind in ('deposit', 'refund') and ${balanceIsVisible(user)}",
    "t.kind in ('deposit', 'refund')",
    'test/api/cases/timeline.test.ts',
  ),
  text(
    'a story tells what was taken back',
    TIMELINE,
    'm.retracted_at is null and ${isBefore}',
    '${isBefore}',
    'test/api/cases/timeline.test.ts',
  ),
  text(
    'a story tells what was said in groups of others',
    TIMELINE,
    '\n          and ${chainIsVisible(user)} ${order}',
    ' ${order}',
    'test/api/cases/timeline.test.ts',
  ),
  text(
    'what has come back anywhere is on every dashboard',
    'modules/disbursements/disbursement-access.ts',
    '? seesAllCases\n',
    "? adminHolds(reader.id, 'view_all_cases', 'view_drs')\n",
    'modules/disbursements/list-disbursements.test.ts',
  ),
  text(
    'finance knows of the drafts of every case',
    'modules/disbursements/disbursement-access.ts',
    'anyOf([readsIt, seesAllCases])',
    "anyOf([readsIt, adminHolds(reader.id, 'view_drs')])",
    DRAFTS,
  ),
  text(
    'staff read what a draft says',
    'modules/disbursements/list-disbursements.ts',
    'sql`case when seen.has_content then ${value} end as ${trustedSql(name)}`',
    'sql`${value} as ${trustedSql(name)}`',
    DRAFTS,
  ),
  text(
    'a draft is found by its kind of cost',
    'modules/disbursements/list-disbursements.ts',
    'lower(${category})`, contentIsVisible(user))',
    'lower(${category})`)',
    DRAFTS,
  ),
];
