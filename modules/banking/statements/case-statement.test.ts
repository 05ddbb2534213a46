import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import { findCaseBalance } from '@case-platform/modules/disbursements';
import { daysBetween } from '@case-platform/words/days';
import fc from 'fast-check';
import { createTestDatabase } from '../../../test/support/database.ts';
import { getCaseStatement } from './case-statement.ts';
import { listOwnPayments } from './own-payments.ts';

const { db } = await createTestDatabase();
const reader = (await findActiveUser(db, { email_address: 'root@demo.test', user_type: 'admin' })) as User;
const payee = (await findActiveUser(db, { email_address: 'totp@demo.test', user_type: 'surrogate' })) as User;

const FIRST_DAY = '2024-02-20';
const DAYS = 40;
/** Each kind's postings, as shares of its amount. */
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
  /** The request, by its place. */
  request: number | null;
  at: Date;
}

/** What somebody may try at some moment; it becomes a movement where it is possible then. */
const attempts = fc.array(
  fc.record({
    wish: fc.constantFrom<Kind>(
      'deposit',
      'deposit',
      'refund',
      'hold',
      'hold',
      'release',
      'payment',
      'payment',
      'return',
    ),
    amount: fc.integer({ min: 1, max: 90_000 }),
    which: fc.nat(20),
    // Seconds since the first day began in UTC: often around midnight in New York, over the change of its clocks.
    second: fc.oneof(
      fc.integer({ min: 0, max: DAYS * 86_400 }),
      fc.tuple(fc.nat(DAYS - 1), fc.integer({ min: -2, max: 2 })).map(([day, off]) => day * 86_400 + 5 * 3600 + off),
      fc.tuple(fc.nat(DAYS - 1), fc.integer({ min: -2, max: 2 })).map(([day, off]) => day * 86_400 + 4 * 3600 + off),
    ),
  }),
  { maxLength: 60 },
);

/** Only what a case allows: nothing is spent that it does not have, no request is paid twice. */
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
  const one = async (statement: Parameters<typeof query>[1]) =>
    (await query<{ id: number }>(tx, statement))[0]?.id ?? 0;
  const caseId = await one(sql`insert into case_file (name) values ('History') returning id`);
  const requests = new Map<number, number>();
  for (const { kind, amount, request, at } of history) {
    if (request !== null && !requests.has(request))
      requests.set(
        request,
        await one(sql`insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by)
                      values (${caseId}, ${amount}, 'Travel', 'A train', ${payee.id}, ${payee.id}) returning id`),
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

test('[decisions 14] over random histories postings, statement and balances agree, and each period opens where the last one closed', async () => {
  const takeBack = new Error('taken back');
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: DAYS + 3 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(attempts, cuts, async (tries, days) => {
      const history = historyOf(tries);
      const cash = history.filter((movement) => cashOf(movement) !== 0);
      const looked = db.transaction(async (tx) => {
        const caseId = await writeHistory(tx, history);
        const read = (from: string, to: string) => getCaseStatement(tx, reader, caseId, { from, to });
        const [first, last] = [dayAfter(FIRST_DAY, -2), dayAfter(FIRST_DAY, DAYS + 5)];

        const whole = await read(first, last);
        let held = 0;
        const expected = cash.map((movement) => {
          held += cashOf(movement);
          return [movement.kind, bankDay(movement.at), cashOf(movement), held];
        });
        assert.deepEqual(
          whole.data.map(({ kind, date, amount_cents, balance_cents }) => [kind, date, amount_cents, balance_cents]),
          expected,
        );
        assert.equal(whole.opening_balance_cents, 0);

        const [posted] = await query<{ cents: number }>(
          tx,
          sql`select coalesce(sum(amount_cents), 0)::bigint as cents from ledger_posting where case_id = ${caseId} and account = 'cash'`,
        );
        const balance = await findCaseBalance(tx, caseId);
        assert.equal(posted?.cents, whole.closing_balance_cents);
        assert.equal(balance.available_cents + balance.held_cents, whole.closing_balance_cents);
        assert.equal(balance.funded_cents - balance.paid_cents, whole.closing_balance_cents);

        const starts = [first, ...days.sort((a, b) => a - b).map((day) => dayAfter(FIRST_DAY, day))];
        const parts = [];
        for (const [at, from] of starts.entries())
          parts.push(await read(from, dayAfter(starts[at + 1] ?? dayAfter(last), -1)));
        for (const [at, part] of parts.entries()) {
          assert.equal(part.opening_balance_cents, parts[at - 1]?.closing_balance_cents ?? 0);
          const sum = part.data.reduce((cents, { amount_cents }) => cents + amount_cents, 0);
          assert.equal(part.closing_balance_cents, part.opening_balance_cents + sum);
          assert.ok(
            part.data.every(({ date }) => daysBetween(part.from, date) >= 0 && daysBetween(date, part.to) >= 0),
          );
        }
        assert.deepEqual(
          parts.flatMap(({ data }) => data),
          whole.data,
        );

        const own = await listOwnPayments(tx, payee, { from: first, to: last });
        assert.equal(own.total_cents, balance.paid_cents, 'everything was paid to one person');
        throw takeBack;
      });
      await assert.rejects(looked, (error) => {
        if (error !== takeBack) throw error;
        return true;
      });
    }),
    { numRuns: 60 },
  );
});
