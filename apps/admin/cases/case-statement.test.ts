import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@case-platform/modules/accounts';
import type { CaseStatement } from '@case-platform/modules/banking';
import { STATEMENT_PDF_MAX } from '@case-platform/words/limits';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { caseProjection } from './case-projection.ts';
import { caseStatement } from './case-statement.ts';

const LINE: CaseStatement['data'][number] = {
  date: '2026-02-28',
  kind: 'deposit',
  description: 'Wire',
  category: null,
  payee: null,
  amount_cents: 10_000,
  balance_cents: 10_000,
  disbursement_id: null,
};
const STATEMENT: CaseStatement = {
  case_id: 4,
  case_name: 'Case 4',
  from: '2026-02-01',
  to: '2026-02-28',
  opening_balance_cents: 0,
  closing_balance_cents: 9_000,
  months: [],
  set_aside: [],
  data: [
    LINE,
    {
      ...LINE,
      kind: 'payment',
      description: 'Train to the clinic',
      category: 'travel',
      payee: 'Sam',
      amount_cents: -2_500,
      balance_cents: 7_500,
      disbursement_id: 9,
    },
    {
      ...LINE,
      kind: 'return',
      description: 'Train to the clinic',
      category: 'travel',
      payee: 'Sam',
      amount_cents: 2_500,
      balance_cents: 10_000,
      disbursement_id: 9,
    },
    { ...LINE, kind: 'refund', description: 'Back', amount_cents: -1_000, balance_cents: 9_000 },
  ],
};
// In New York it is still February.
const NOW = '2026-03-01T04:59:59Z';
const pageOf = (statement: CaseStatement | null, permissions: Permission[] = ['view_drs'], now = NOW) =>
  tightMarkup(
    caseStatement(staffFrame({ permissions, now }), { caseId: 4, statement, requested: {}, problem: undefined }),
  ).replaceAll(/\s+/g, ' ');

test('[STATEMENT-1] a statement shows each movement with its kind, sign, and balance, and what came in and went out', () => {
  const page = pageOf(STATEMENT);
  const rows = [...page.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map(([, row]) =>
    (row ?? '').replaceAll(/<[^>]+>/g, '|').replaceAll(/\|[\s|]*/g, '|'),
  );
  assert.deepEqual(rows.slice(1), [
    '|Feb 1, 2026|Opening balance|$0.00|',
    '|Feb 28, 2026|Wire |Deposit|+$100.00|$100.00|',
    '|Feb 28, 2026|Train to the clinic|Payment · Travel · to Sam|−$25.00|$75.00|',
    '|Feb 28, 2026|Train to the clinic|Returned payment · Travel · from Sam|+$25.00|$100.00|',
    '|Feb 28, 2026|Back |Refund|−$10.00|$90.00|',
    '|Feb 28, 2026|Closing balance|$90.00|',
  ]);
  assert.match(page, /\$125\.00 in, \$35\.00 out\./);
  assert.match(pageOf({ ...STATEMENT, data: [] }), /No money moved in this period\./);
});

test('[STATEMENT-8] the payments that are set aside name where they are and when they should arrive', () => {
  const place = { holder: null, since: new Date(NOW), was: null, why: null, action: null };
  const line = { category: 'travel', payee: 'Sam', amount_cents: 4_000 };
  const set_aside: CaseStatement['set_aside'] = [
    {
      ...line,
      disbursement_id: 10,
      description: 'Taxi',
      whereabouts: { ...place, state: 'at_the_bank', label: 'At the bank', arrives: { date: '2026-03-03', if: null } },
    },
    {
      ...line,
      disbursement_id: 11,
      description: 'Hotel',
      whereabouts: { ...place, state: 'on_hold', label: 'Approved, on hold', arrives: { date: '2026-03-03', if: 'Sam adds' } },
    },
  ];
  const [, rows = ''] = pageOf({ ...STATEMENT, set_aside }).split('Set aside, not paid yet');
  assert.match(rows, /Mar 3, 2026<\/td> ?<td><a [^>]*disbursements\/10">Taxi<\/a> <span [^>]*>At the bank · Travel · to Sam</);
  assert.match(rows, /–<\/td> ?<td><a [^>]*disbursements\/11">Hotel<\/a> <span [^>]*>Approved, on hold · Travel · to Sam</);
});

test('[STATEMENT-7] each month of a longer statement ends with its total and balance', () => {
  const march = { ...LINE, date: '2026-03-02', amount_cents: 4_000, balance_cents: 13_000 };
  const months = [
    { month: '2026-02', in_cents: 12_500, out_cents: -3_500, balance_cents: 9_000 },
    { month: '2026-03', in_cents: 4_000, out_cents: 0, balance_cents: 13_000 },
  ];
  const page = pageOf({ ...STATEMENT, to: '2026-03-31', data: [...STATEMENT.data, march], months });
  const rows = [...page.matchAll(/<tr(?: class="is-month")?> ?<td>([^<]*)<\/td>/g)].map(([row, first]) =>
    row.includes('is-month') ? `= ${first}` : first,
  );
  assert.deepEqual(rows, [...Array(4).fill('Feb 28, 2026'), '= February 2026 total', 'Mar 2, 2026', '= March 2026 total']);
  assert.match(page, /\$125\.00 in, \$35\.00 out<\/td> ?<td>\+\$90\.00<\/td> ?<td>\$90\.00</);
});

test('[GUARD-9] a statement links to requests and the audit log for those who may read them', () => {
  const links = (...permissions: Permission[]) => {
    const page = pageOf(STATEMENT, permissions);
    return [page.match(/href="\/disbursements\/9"/g)?.length ?? 0, page.includes('See who recorded')];
  };
  assert.deepEqual(
    [links('view_drs'), links('view_audit_log'), links()],
    [
      [2, false],
      [0, true],
      [0, false],
    ],
  );
});

test('[STATEMENT-2, STATEMENT-4] the common period is marked by the bank’s day, and a long statement has no PDF', () => {
  const marked = (page: string) => [...page.matchAll(/aria-current="true">([^<]+)/g)].map(([, words]) => words);
  assert.deepEqual(marked(pageOf(STATEMENT)), ['This month']);
  assert.deepEqual(marked(pageOf(STATEMENT, [], '2026-03-01T05:00:00Z')), ['Last month']);
  assert.deepEqual(marked(pageOf({ ...STATEMENT, to: '2026-02-27' })), []);
  const formats = (rows: number) => {
    const data = Array.from({ length: rows }, () => LINE);
    return [...pageOf({ ...STATEMENT, data }).matchAll(/format&#61;(\w+)/g)].map(([, format]) => format);
  };
  assert.deepEqual(formats(STATEMENT_PDF_MAX), ['pdf', 'pdf', 'csv']);
  assert.deepEqual(formats(STATEMENT_PDF_MAX + 1), ['csv']);
  assert.doesNotMatch(pageOf(null), /format/);
});

test('[PROJECTION-1] the months ahead show what is planned and left, with a sign where money is missing', () => {
  const data = [
    { month: '2026-12', planned_cents: 0, available_cents: 500 },
    { month: '2027-01', planned_cents: 700, available_cents: -200 },
  ];
  const page = tightMarkup(caseProjection({ data, shortfall: { month: '2027-01', missing_cents: 200 } }));
  assert.match(page, /Short by \$2\.00 from January 2027 on/);
  assert.match(page, /December 2026<\/td><td>–<\/td><td>\$5\.00</);
  assert.match(page, /January 2027<\/td><td>−\$7\.00<\/td><td>−\$2\.00</);
  assert.match(page, /From \$5\.00 at the end of December 2026 to -\$2\.00 at the end of January 2027/);
  assert.equal(page.match(/class="is-short"/g)?.length, 1);
  assert.equal(
    tightMarkup(caseProjection({ data: [{ ...data[0], planned_cents: 0 } as (typeof data)[number]], shortfall: null })),
    '',
  );
});
