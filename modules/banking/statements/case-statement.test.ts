import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '@case-platform/lib/database';
import type { ReadLagging } from '@case-platform/lib/database/replica-reads';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import { findCaseBalance } from '@case-platform/modules/ledger';
import { daysBetween } from '@case-platform/words/days';
import type { CashKind } from '@case-platform/words/money';
import fc from 'fast-check';
import { createTestDatabase } from '../../../test/support/database.ts';
import { pdfText } from '../../../test/support/pdf-text.ts';
import { type CaseStatement, getCaseStatement } from './case-statement.ts';
import { listOwnPayments, type OwnPayments } from './own-payments.ts';
import { readPeriod } from './period.ts';
import { readCaseStatement, readOwnPayments } from './read-statements.ts';
import { caseStatementCsv, ownPaymentsCsv } from './statement-csv.ts';
import { caseStatementPdf, ownPaymentsPdf } from './statement-pdf.ts';

const { db } = await createTestDatabase();
const reader = (await findActiveUser(db, { email_address: 'root@demo.test', user_type: 'admin' })) as User;
/** Two payees: the first gets the requests with even numbers, the second those with odd ones. */
const payees = await Promise.all(
  [
    { email_address: 'totp@demo.test', user_type: 'surrogate' } as const,
    { email_address: 'both@demo.test', user_type: 'surrogate' } as const,
  ].map(async (who) => (await findActiveUser(db, who)) as User),
);
const payeeOf = (request: number): User => payees[request % payees.length] as User;

const FIRST_DAY = '2024-02-20';
const DAYS = 40;
const [FIRST, LAST] = ['2024-02-18', '2024-04-05'];
const NOW = new Date();
/** The postings of each kind, as shares of its amount. */
const POSTINGS = {
  deposit: { cash: 1, funds: -1 },
  refund: { cash: -1, funds: 1 },
  hold: { funds: 1, held: -1 },
  release: { held: 1, funds: -1 },
  payment: { held: 1, cash: -1 },
  return: { cash: 1, funds: -1 },
} as const;
type Kind = keyof typeof POSTINGS;

interface Movement {
  kind: Kind;
  amount: number;
  /** The index of the request. */
  request: number | null;
  at: Date;
}

/** Attempts at random moments; each becomes a movement if it is possible then. */
const attempts = fc.array(
  fc.record({
    wish: fc.constantFrom<Kind>('deposit', 'deposit', 'refund', 'hold', 'hold', 'release', 'payment', 'payment', 'return'),
    amount: fc.integer({ min: 1, max: 90_000 }),
    which: fc.nat(20),
    // Seconds after the start of the first day in UTC: often around midnight in New York, across the change of its clocks, and
    // often several at the same moment, like the payments of one batch.
    second: fc.oneof(
      fc.constantFrom(20 * 86_400, 21 * 86_400),
      fc.integer({ min: 0, max: DAYS * 86_400 }),
      fc.tuple(fc.nat(DAYS - 1), fc.integer({ min: -2, max: 2 })).map(([day, off]) => day * 86_400 + 5 * 3600 + off),
      fc.tuple(fc.nat(DAYS - 1), fc.integer({ min: -2, max: 2 })).map(([day, off]) => day * 86_400 + 4 * 3600 + off),
    ),
  }),
  { maxLength: 60 },
);

/** Keeps only what a case allows: it cannot spend money that it does not have, and a request is paid once. */
function historyOf(tries: readonly { wish: Kind; amount: number; which: number; second: number }[]): Movement[] {
  let funds = 0;
  const requests: { amount: number; state: 'open' | 'held' | 'paid' }[] = [];
  const inTime = [...tries].sort((one, other) => one.second - other.second);
  return inTime.flatMap(({ wish: kind, amount, which, second }): Movement[] => {
    const at = new Date(Date.parse(FIRST_DAY) + second * 1000);
    if (kind === 'deposit' || kind === 'refund') {
      if (kind === 'refund' && funds < amount) return [];
      funds += kind === 'deposit' ? amount : -amount;
      return [{ kind, amount, request: null, at }];
    }
    const before = ({ hold: 'open', release: 'held', payment: 'held', return: 'paid' } as const)[kind];
    if (kind === 'hold' && which % 2 === 0) requests.push({ amount, state: 'open' });
    const fitting = requests.filter(({ state }) => state === before);
    const request = fitting[which % fitting.length];
    if (request === undefined || (kind === 'hold' && funds < request.amount)) return [];
    if (kind === 'hold') funds -= request.amount;
    if (kind === 'release' || kind === 'return') funds += request.amount;
    request.state = ({ hold: 'held', release: 'open', payment: 'paid', return: 'open' } as const)[kind];
    return [{ kind, amount: request.amount, request: requests.indexOf(request), at }];
  });
}

async function writeHistory(tx: Transaction, history: readonly Movement[]): Promise<number> {
  const one = async (statement: Parameters<typeof query>[1]) => (await query<{ id: number }>(tx, statement))[0]?.id ?? 0;
  const caseId = await one(sql`insert into case_file (name) values ('History') returning id`);
  const requests = new Map<number, number>();
  for (const { kind, amount, request, at } of history) {
    if (request !== null && !requests.has(request))
      requests.set(
        request,
        await one(sql`insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by)
                      values (${caseId}, ${amount}, 'Travel', 'A train', ${payeeOf(request).id}, ${payeeOf(request).id}) returning id`),
      );
    const disbursementId = request === null ? null : (requests.get(request) ?? null);
    const movement = await one(
      sql`insert into ledger_transaction (case_id, kind, disbursement_id, memo, created_at)
          values (${caseId}, ${kind}, ${disbursementId}, 'travel', ${at}) returning id`,
    );
    for (const [account, share] of Object.entries(POSTINGS[kind]))
      await query(
        tx,
        sql`insert into ledger_posting (transaction_id, case_id, account, amount_cents)
            values (${movement}, ${caseId}, ${account}, ${share * amount})`,
      );
  }
  return caseId;
}

const dayAfter = (day: string, days = 1) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
const bankDay = (at: Date) => new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' }).format(at);
const SHARES: Record<Kind, Partial<Record<'cash' | 'funds' | 'held', number>>> = POSTINGS;
const cashOf = ({ kind, amount }: Movement) => amount * (SHARES[kind].cash ?? 0);

/** The amount paid to a person in a case that has not come back, computed from the history. */
function paidTo(person: User, history: readonly Movement[]): number {
  const theirs = history.filter(({ request }) => request !== null && payeeOf(request) === person);
  return -theirs.reduce((cents, movement) => cents + cashOf(movement), 0);
}

/** Cuts a period into several on these days; each day begins a new one. */
function cut(first: string, last: string, days: readonly number[]): { from: string; to: string }[] {
  const starts = [first, ...days.toSorted((a, b) => a - b).map((day) => dayAfter(FIRST_DAY, day))];
  return starts.map((from, at) => ({ from, to: dayAfter(starts[at + 1] ?? dayAfter(last), -1) }));
}

/** Compares the statement of a case with its history, for the whole period and for its parts. */
async function checkStatement(tx: Transaction, caseId: number, history: readonly Movement[], days: readonly number[]) {
  const read = (period: { from: string; to: string }) => getCaseStatement(tx, reader, caseId, period, NOW);
  const whole = await read({ from: FIRST, to: LAST });
  let balance_cents = 0;
  const expected = history
    .filter((movement) => cashOf(movement) !== 0)
    .map((movement) => {
      balance_cents += cashOf(movement);
      return [movement.kind, bankDay(movement.at), cashOf(movement), balance_cents];
    });
  assert.deepEqual(
    whole.data.map(({ kind, date, amount_cents, balance_cents: after }) => [kind, date, amount_cents, after]),
    expected,
  );
  assert.equal(whole.opening_balance_cents, 0);
  const file = readCsv(caseStatementCsv(whole));
  assert.deepEqual(
    file
      .filter(([, type]) => type !== 'Month total')
      .map(([date, type, , , , amount, balance]) => [date, type, centsOf(amount), centsOf(balance)]),
    [
      [FIRST, 'Opening balance', 0, 0],
      ...expected.map(([kind, date, cents, after]) => [date, TYPES[kind as CashKind], cents, after]),
      [LAST, 'Closing balance', 0, whole.closing_balance_cents],
    ],
  );

  checkMonths(whole, file);

  const [posted] = await query<{ cents: number }>(
    tx,
    sql`select coalesce(sum(amount_cents), 0)::bigint as cents from ledger_posting where case_id = ${caseId} and account = 'cash'`,
  );
  const balance = await findCaseBalance(tx, caseId);
  assert.equal(posted?.cents, whole.closing_balance_cents);
  assert.equal(balance.available_cents + balance.held_cents, whole.closing_balance_cents);
  assert.equal(balance.funded_cents - balance.paid_cents, whole.closing_balance_cents);

  const parts = [];
  for (const period of cut(FIRST, LAST, days)) parts.push(await read(period));
  for (const [at, part] of parts.entries()) {
    assert.equal(part.opening_balance_cents, parts[at - 1]?.closing_balance_cents ?? 0);
    const sum = part.data.reduce((cents, { amount_cents }) => cents + amount_cents, 0);
    assert.equal(part.closing_balance_cents, part.opening_balance_cents + sum);
    assert.ok(part.data.every(({ date }) => daysBetween(part.from, date) >= 0 && daysBetween(date, part.to) >= 0));
  }
  const inParts = parts.flatMap(({ data }) => data);
  assert.deepEqual(inParts, whole.data);
  return balance;
}

/** The totals of months add up to the statement, in the answer and in the columns of its file. */
function checkMonths({ data, months, closing_balance_cents }: CaseStatement, file: readonly string[][]): void {
  const expected = new Map<string, number[]>();
  for (const { date, amount_cents, balance_cents } of data) {
    const [moneyIn = 0, moneyOut = 0] = expected.get(date.slice(0, 7)) ?? [];
    const isIn = amount_cents > 0;
    const totals = [moneyIn + (isIn ? amount_cents : 0), moneyOut + (isIn ? 0 : amount_cents), balance_cents];
    expected.set(date.slice(0, 7), totals);
  }
  const actual = months.map(({ month, in_cents, out_cents, balance_cents }) => [month, [in_cents, out_cents, balance_cents]]);
  assert.deepEqual(actual, [...expected]);
  assert.equal(months.at(-1)?.balance_cents ?? closing_balance_cents, closing_balance_cents);
  const rows = file.filter(([, type]) => type === 'Month total');
  assert.deepEqual(
    rows.map((row) => [row[0]?.slice(0, 7), [row[8], row[9], row[6]].map(centsOf)]),
    [...expected],
  );
  assert.ok(
    rows.every((row) => row[5] === ''),
    'the amounts do not count twice',
  );
}

const TYPES: Record<CashKind, string> = {
  deposit: 'Deposit',
  refund: 'Refund',
  payment: 'Payment',
  return: 'Returned payment',
};

/** The rows of a CSV file without its header; a quoted cell may contain commas. */
const readCsv = (file: string): string[][] =>
  file
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((row) => row.match(/(?<=^|,)(?:"[^"]*"|[^,]*)/g) ?? []);
const centsOf = (decimals = '') => Number(decimals.replace('.', ''));

/** Compares the payments to a person over several cases with the histories: in total, one by one, and in parts of the period. */
async function checkPayments(tx: Transaction, person: User, histories: readonly Movement[][], days: readonly number[]) {
  const whole = await listOwnPayments(tx, person, { from: FIRST, to: LAST });
  const expected = histories.reduce((cents, history) => cents + paidTo(person, history), 0);
  assert.equal(whole.total_cents, expected);
  const paid = histories
    .flat()
    .filter(({ kind, request }) => kind === 'payment' && request !== null && payeeOf(request) === person)
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, amount }) => `${bankDay(at)} ${amount}`);
  // Two payments at the same moment in two cases have no order.
  assert.deepEqual(whole.data.map(({ date, amount_cents }) => `${date} ${amount_cents}`).sort(), paid.sort());
  assert.deepEqual(
    readCsv(ownPaymentsCsv(whole))
      .filter((row) => row[5] !== 'Month total')
      .map(([date, , , , amount, state]) => [date, centsOf(amount), state]),
    whole.data.map(({ date, amount_cents, state }) => [date, amount_cents, { paid: 'Paid', returned: 'Returned' }[state]]),
  );
  const parts = [];
  for (const period of cut(FIRST, LAST, days)) parts.push(await listOwnPayments(tx, person, period));
  const inParts = parts.flatMap(({ data }) => data);
  assert.deepEqual(inParts, whole.data);
  assert.equal(
    parts.reduce((cents, { total_cents }) => cents + total_cents, 0),
    whole.total_cents,
  );
}

const rollback = new Error('rolled back');
/** Runs checks in a transaction that is rolled back. */
async function inRolledBackTransaction(work: (tx: Transaction) => Promise<void>): Promise<void> {
  const attempt = db.transaction(async (tx) => {
    await work(tx);
    throw rollback;
  });
  await assert.rejects(attempt, (error) => {
    if (error !== rollback) throw error;
    return true;
  });
}

test('[STATEMENT-1] over random histories postings, statements, payments, and balances agree, and each period opens where the last one closed', async () => {
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: DAYS + 3 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(attempts, attempts, cuts, (one, other, days) =>
      inRolledBackTransaction(async (tx) => {
        const histories = [historyOf(one), historyOf(other)];
        let paid = 0;
        for (const history of histories)
          paid += (await checkStatement(tx, await writeHistory(tx, history), history, days)).paid_cents;
        for (const person of payees) await checkPayments(tx, person, histories, days);
        const totals = payees.map((person) => histories.reduce((cents, history) => cents + paidTo(person, history), 0));
        assert.equal(
          totals.reduce((cents, total) => cents + total, 0),
          paid,
          'the cases paid as much as people received',
        );
      }),
    ),
    { numRuns: 40 },
  );
});

test('[STATEMENT-1, STATEMENT-5] a payment that was returned and paid again is listed twice and counts once, even within one moment', async () => {
  const kinds: Kind[] = ['hold', 'payment', 'return', 'hold', 'payment'];
  const start = Date.parse('2024-03-01T15:00:00Z');
  for (const pause of [86_400_000, 0]) {
    const history = kinds.map((kind, at) => ({ kind, amount: 500, request: 0, at: new Date(start + at * pause) }));
    await inRolledBackTransaction(async (tx) => {
      const deposit = { kind: 'deposit' as const, amount: 500, request: null, at: new Date(start - 1) };
      await writeHistory(tx, [deposit, ...history]);
      const own = await listOwnPayments(tx, payeeOf(0), { from: FIRST, to: LAST });
      assert.deepEqual([own.total_cents, own.data.map(({ state }) => state)], [500, ['returned', 'paid']]);
    });
  }
});

test('[STATEMENT-2] a period has up to 366 days, from 1970 on, and is the last 90 days by default', () => {
  // It is still the previous day in New York.
  const now = new Date('2026-03-10T03:59:59Z');
  assert.deepEqual(readPeriod({}, now), { from: '2025-12-10', to: '2026-03-09' });
  assert.deepEqual(readPeriod({ to: '2024-02-29' }, now), { from: '2023-12-02', to: '2024-02-29' });
  assert.deepEqual(readPeriod({ from: '2026-03-01' }, now), { from: '2026-03-01', to: '2026-03-09' });
  assert.deepEqual(readPeriod({ from: '2026-05-01' }, now), { from: '2026-05-01', to: '2026-05-01' });
  const periods = [
    ['2026-03-09', '2026-03-09', true],
    ['2026-03-09', '2026-03-08', false],
    ['2025-03-09', '2026-03-09', true],
    ['2025-03-08', '2026-03-09', false],
    ['1970-01-01', '1970-12-31', true],
    ['1969-12-31', '1970-12-31', false],
  ] as const;
  for (const [from, to, isPeriod] of periods) {
    if (isPeriod) assert.deepEqual(readPeriod({ from, to }, now), { from, to });
    else assert.throws(() => readPeriod({ from, to }, now), { name: 'InvalidInputError' }, `${from} to ${to}`);
  }
});

test('[STATEMENT-2] a year of 366 days contains its first and its last moment in New York, and nothing beyond', async () => {
  const moments = [
    ['2024-01-01T04:59:59.999Z', 1],
    ['2024-01-01T05:00:00.000Z', 10],
    ['2025-01-01T04:59:59.999Z', 100],
    ['2025-01-01T05:00:00.000Z', 1000],
  ] as const;
  // Twice what is paid at the same moment, so that the balance changes.
  const deposits = moments.map(([at, amount]) => ({
    kind: 'deposit' as const,
    amount: 2 * amount,
    request: null,
    at: new Date(at),
  }));
  const paid = moments.flatMap(([at, amount], request) =>
    (['hold', 'payment'] as const).map((kind) => ({ kind, amount, request: request * 2, at: new Date(at) })),
  );
  await inRolledBackTransaction(async (tx) => {
    const caseId = await writeHistory(tx, [...deposits, ...paid]);
    const year = { from: '2024-01-01', to: '2024-12-31' };
    assert.deepEqual(readPeriod(year, new Date()), year);
    const read = async (from: string, to: string) => {
      const statement = await getCaseStatement(tx, reader, caseId, { from, to }, NOW);
      const lines = statement.data.map(({ date, amount_cents, balance_cents }) => [date, amount_cents, balance_cents]);
      return [statement.opening_balance_cents, lines, statement.closing_balance_cents];
    };
    const first = [
      ['2024-01-01', 20, 21],
      ['2024-01-01', -10, 11],
    ];
    const last = [
      ['2024-12-31', 200, 211],
      ['2024-12-31', -100, 111],
    ];
    assert.deepEqual(await read(year.from, year.to), [1, [...first, ...last], 111]);
    assert.deepEqual(await read('2024-01-01', '2024-01-01'), [1, first, 11]);
    assert.deepEqual(await read('2024-01-02', '2024-12-30'), [11, [], 11]);
    assert.deepEqual(await read('2024-12-31', '2024-12-31'), [11, last, 111]);
    const own = await listOwnPayments(tx, payeeOf(0), year);
    assert.deepEqual([own.total_cents, own.data.map(({ date }) => date)], [110, ['2024-01-01', '2024-12-31']]);
  });
});

/** A statement over two months: a deposit, a payment and its return, and a payment that is set aside. */
const TWO_MONTHS: CaseStatement = {
  case_id: 7,
  case_name: 'Harbor',
  from: '2026-01-10',
  to: '2026-02-20',
  opening_balance_cents: 5,
  closing_balance_cents: 100_004,
  data: [
    line('2026-01-11', 'deposit', { description: 'First, deposit', amount_cents: 100_000, balance_cents: 100_005 }),
    line('2026-01-31', 'payment', { ...request(3), amount_cents: -300, balance_cents: 99_705 }),
    line('2026-02-01', 'return', { ...request(3), amount_cents: 300, balance_cents: 100_005 }),
    line('2026-02-20', 'refund', { description: 'Back', amount_cents: -1, balance_cents: 100_004 }),
  ],
  set_aside: [],
  months: [
    { month: '2026-01', in_cents: 100_000, out_cents: -300, balance_cents: 99_705 },
    { month: '2026-02', in_cents: 300, out_cents: -1, balance_cents: 100_004 },
  ],
};
function line(date: string, kind: CashKind, more: Partial<CaseStatement['data'][number]>): CaseStatement['data'][number] {
  const empty = { description: '', category: null, payee: null, disbursement_id: null };
  return { date, kind, amount_cents: 0, balance_cents: 0, ...empty, ...more };
}
function request(disbursement_id: number) {
  return { description: '=A train', category: 'Travel', payee: 'Sarah Lindgren', disbursement_id };
}
const OWN: OwnPayments = {
  from: '2026-01-10',
  to: '2026-02-20',
  total_cents: 300,
  data: [own('2026-01-31', 300, 'paid'), own('2026-02-01', 200, 'returned')],
  months: [
    { month: '2026-01', total_cents: 300 },
    { month: '2026-02', total_cents: 0 },
  ],
};
function own(date: string, amount_cents: number, state: 'paid' | 'returned'): OwnPayments['data'][number] {
  return {
    date,
    case_id: 7,
    description: 'A train',
    category: 'lost wages',
    amount_cents,
    disbursement_id: 3,
    state,
    sees_case: true,
  };
}

test('[STATEMENT-3, STATEMENT-7] each cell of a CSV has its place, and each month its total', () => {
  assert.deepEqual(caseStatementCsv(TWO_MONTHS).replace('\ufeff', '').trimEnd().split('\r\n'), [
    'Date,Type,Description,Category,Paid to,Amount,Balance,Request,Month in,Month out',
    '2026-01-10,Opening balance,,,,,0.05,,,',
    '2026-01-11,Deposit,"First, deposit",,,1000.00,1000.05,,,',
    "2026-01-31,Payment,'=A train,Travel,Sarah Lindgren,-3.00,997.05,3,,",
    '2026-01-31,Month total,January 2026,,,,997.05,,1000.00,-3.00',
    "2026-02-01,Returned payment,'=A train,Travel,Sarah Lindgren,3.00,1000.05,3,,",
    '2026-02-20,Refund,Back,,,-0.01,1000.04,,,',
    '2026-02-20,Month total,February 2026,,,,1000.04,,3.00,-0.01',
    '2026-02-20,Closing balance,,,,,1000.04,,,',
  ]);
  assert.deepEqual(ownPaymentsCsv(OWN).replace('\ufeff', '').trimEnd().split('\r\n'), [
    'Date,Case,Category,Description,Amount,State,Request,Month total',
    '2026-01-31,7,Lost wages,A train,3.00,Paid,3,',
    '2026-01-31,,,January 2026,,Month total,,3.00',
    '2026-02-01,7,Lost wages,A train,2.00,Returned,3,',
    '2026-02-20,,,February 2026,,Month total,,0.00',
  ]);
});

test('[STATEMENT-2, STATEMENT-4, STATEMENT-7] each figure of a PDF has its place, and each month its total', async () => {
  // It is still February 20 in New York, whose days a statement covers (STATEMENT-2).
  const printing = { paper: 'letter', now: new Date('2026-02-21T02:00:00Z') } as const;
  const linesOf = (file: Buffer) => pdfText(file).split('\n');
  const lines = linesOf(await caseStatementPdf(TWO_MONTHS, printing));
  const own = linesOf(await ownPaymentsPdf(OWN, printing));
  assert.deepEqual(lines, [
    'Case Platform',
    'Harbor',
    'Statement of case 7, Jan 10, 2026 to Feb 20, 2026',
    'Opening balance',
    '$0.05',
    'Money in',
    '+$1,003.00',
    'Money out',
    '−$3.01',
    'Closing balance',
    '$1,000.04',
    'Date',
    'Description',
    'Amount',
    'Balance',
    'Jan 11, 2026',
    'First, deposit',
    'Deposit',
    '+$1,000.00',
    '$1,000.05',
    'Jan 31, 2026',
    '=A train',
    'Payment · Travel · to Sarah Lindgren',
    '−$3.00',
    '$997.05',
    'January 2026 total',
    '$1,000.00 in, $3.00 out',
    '+$997.00',
    '$997.05',
    'Feb 1, 2026',
    '=A train',
    'Returned payment · Travel · from Sarah Lindgren',
    '+$3.00',
    '$1,000.05',
    'Feb 20, 2026',
    'Back',
    'Refund',
    '−$0.01',
    '$1,000.04',
    'February 2026 total',
    '$3.00 in, $0.01 out',
    '+$2.99',
    '$1,000.04',
    'Statement of case 7 · Jan 10, 2026 to Feb 20, 2026 · made Feb 20, 2026',
    'Page 1 of 1',
  ]);
  assert.deepEqual(own, [
    'Case Platform',
    'Payments to you',
    'Jan 10, 2026 to Feb 20, 2026',
    'Paid to you',
    '$3.00',
    'Date',
    'What for',
    'State',
    'Amount',
    'Jan 31, 2026',
    'A train',
    'Lost wages · case 7',
    'Paid',
    '$3.00',
    'January 2026 total',
    '$3.00',
    'Feb 1, 2026',
    'A train',
    'Lost wages · case 7',
    'Returned',
    '$2.00',
    'February 2026 total',
    '$0.00',
    'Payments to you · Jan 10, 2026 to Feb 20, 2026 · made Feb 20, 2026',
    'Page 1 of 1',
  ]);
});

test('[SCALE-5] a statement of a past period is read from the replica after five minutes', async () => {
  const statements: string[] = [];
  const readLagging: ReadLagging = async (work, confirm) => {
    statements.push('replica');
    await confirm?.(db);
    return work(db);
  };
  const period = { from: '2026-01-01', to: '2026-02-20' };
  const stranger = payees[0] as User;
  const read = async (who: User, at: string) => {
    statements.length = 0;
    const now = new Date(at);
    await readOwnPayments({ db, readLagging }, who, period, now);
    const answer = await readCaseStatement({ db, readLagging }, who, 1, period, now).then(
      () => 200,
      (error) => error.status,
    );
    return [answer, ...statements];
  };
  // The day after the period begins in New York at 05:00.
  assert.deepEqual(await read(reader, '2026-02-21T05:04:59.999Z'), [200]);
  assert.deepEqual(await read(reader, '2026-02-21T05:05:00Z'), [200, 'replica', 'replica']);
  assert.deepEqual(await read(stranger, '2026-02-21T05:05:00Z'), [404, 'replica', 'replica']);
  // The replica may still show a case to someone who has left it.
  const confirmOnly: ReadLagging = async (_, confirm) => confirm?.(db) as never;
  const late = new Date('2026-02-22T00:00:00Z');
  await assert.rejects(readCaseStatement({ db, readLagging: confirmOnly }, stranger, 1, period, late), { status: 404 });
});
