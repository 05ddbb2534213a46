import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { DomainError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import fc from 'fast-check';
import { createTestDatabase } from '../../test/support/database.ts';
import { fundCase, moveCash } from '../../test/support/money.ts';
import { type CaseBalance, findCaseBalance } from '../ledger/case-balance.ts';
import { approveDisbursement, denyDisbursement } from './approval/approve-disbursement.ts';
import { createDisbursement } from './create-disbursement.ts';
import { getDisbursement } from './list-disbursements.ts';
import { retryDisbursement } from './retry-disbursement.ts';
import { batchDisbursements, payDisbursements, returnDisbursement, unbatchDisbursements } from './settle-disbursements.ts';
import { submitDisbursement } from './submit-disbursement.ts';
import { updateDisbursement } from './update-disbursement.ts';

const { db } = await createTestDatabase();
const context = { db, now: () => new Date() };
const by = (actor: User) => ({ actor, origin: SYSTEM });
const person = async (email_address: string, user_type: UserType) => {
  const user = await findActiveUser(db, { email_address, user_type });
  assert.ok(user);
  return user;
};
const surrogate = await person('surrogate@demo.test', 'surrogate');
const parent = await person('parent@demo.test', 'ip');
const root = await person('root@demo.test', 'admin');

/** A new case with the surrogate and the parent, and without money. */
async function newCase(): Promise<number> {
  const [row] = await query<{ id: number }>(
    db,
    sql`with made as (insert into case_file (name, status) values ('Ledger', 'active') returning id)
        insert into case_participant (case_id, user_id) select made.id, u
          from made, unnest(${[surrogate.id, parent.id]}::bigint[]) u
        returning case_id as id`,
  );
  return row?.id ?? 0;
}

async function ask(caseId: number, amount_cents: number): Promise<number> {
  const fields = { amount_cents, category: 'Other', description: 'Train' };
  const { id } = await createDisbursement(context, caseId, fields, by(surrogate));
  return id;
}

const deposit = (caseId: number, amount_cents: number) => fundCase({ db }, caseId, amount_cents);
const refund = (caseId: number, amount_cents: number) => moveCash({ db }, caseId, { kind: 'refund', amount_cents, memo: '' });

/** The sum of all accounts of all cases. */
async function total(): Promise<number> {
  const [sum] = await query<{ total: number }>(
    db,
    sql`select coalesce(sum(amount_cents), 0)::bigint as total from ledger_posting`,
  );
  return sum?.total ?? Number.NaN;
}

/** Stored balances that differ from the sum of their postings. */
const wrongBalances = () =>
  query(
    db,
    sql`select case_id, account from ledger_balance
        except select case_id, account from
          (select p.case_id, account, sum(amount_cents) as amount_cents,
                  coalesce(sum(amount_cents) filter (where account = 'cash' and kind in ('deposit', 'refund')), 0)
                    as paid_in_cents
             from ledger_posting p join ledger_transaction t on t.id = p.transaction_id
            group by p.case_id, account) summed
          join ledger_balance kept using (case_id, account, amount_cents, paid_in_cents)`,
  );

type Status = 'submitted' | 'draft' | 'approved' | 'denied' | 'batched' | 'paid' | 'returned';
interface Model {
  caseId: number;
  balance: CaseBalance;
  requests: { id: number; amount: number; status: Status }[];
}

const COMMANDS = [
  'deposit',
  'refund',
  'ask',
  'approve',
  'approve',
  'approve',
  'deny',
  'revise',
  'batch',
  'unbatch',
  'pay',
  'pay',
  'return',
  'retry',
] as const;
type Command = (typeof COMMANDS)[number];

/** The expected effect of each command, written by hand: the states that it accepts, and its changes to the balance. */
const RULES: Record<string, { from: Status; to: Status; available: -1 | 0 | 1; held: -1 | 0 | 1; paid: -1 | 0 | 1 }[]> = {
  approve: [{ from: 'submitted', to: 'approved', available: -1, held: 1, paid: 0 }],
  deny: [{ from: 'submitted', to: 'denied', available: 0, held: 0, paid: 0 }],
  revise: [{ from: 'approved', to: 'draft', available: 1, held: -1, paid: 0 }],
  batch: [{ from: 'approved', to: 'batched', available: 0, held: 0, paid: 0 }],
  unbatch: [{ from: 'batched', to: 'approved', available: 0, held: 0, paid: 0 }],
  pay: [{ from: 'batched', to: 'paid', available: 0, held: -1, paid: 1 }],
  return: [
    { from: 'paid', to: 'returned', available: 1, held: 0, paid: -1 },
    { from: 'batched', to: 'returned', available: 1, held: -1, paid: 0 },
  ],
  retry: [{ from: 'returned', to: 'approved', available: -1, held: 1, paid: 0 }],
};

const BANK = { actor: null, origin: SYSTEM };

const seen = async (id: number) => ({ version: (await getDisbursement(db, parent, id, new Date())).version });
const approve = async (id: number) => approveDisbursement(context, id, await seen(id), by(parent));
const deny = async (id: number) => denyDisbursement(context, id, { ...(await seen(id)), reason: 'No' }, by(parent));

function perform(command: Command, id: number, amount: number): Promise<unknown> {
  switch (command) {
    case 'approve':
      return approve(id);
    case 'deny':
      return deny(id);
    case 'revise':
      return updateDisbursement(context, id, { amount_cents: amount }, by(surrogate));
    case 'batch':
      return db.transaction((tx) => batchDisbursements(tx, [id], BANK, new Date()));
    case 'unbatch':
      return db.transaction((tx) => unbatchDisbursements(tx, [id], BANK, new Date()));
    case 'pay':
      return db.transaction((tx) => payDisbursements(tx, [id], BANK, new Date()));
    case 'retry':
      return retryDisbursement(context, id, { reason: 'The bank has cleared it' }, by(root));
    default:
      return db.transaction((tx) => returnDisbursement(tx, id, 'R01', BANK, new Date()));
  }
}

/** True if the work succeeded. Rejections are expected; any other error fails the test. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

async function step(model: Model, command: Command, amount: number, pick: number): Promise<void> {
  const { balance, caseId, requests } = model;
  if (command === 'deposit') {
    await deposit(caseId, amount);
    balance.funded_cents += amount;
    balance.available_cents += amount;
    return;
  }
  if (command === 'refund') {
    const done = await isDone(refund(caseId, amount));
    assert.equal(done, amount <= balance.available_cents);
    if (!done) return;
    balance.funded_cents -= amount;
    balance.available_cents -= amount;
    return;
  }
  if (command === 'ask') {
    const id = await ask(caseId, amount);
    await submitDisbursement(context, id, by(surrogate));
    requests.push({ id, amount, status: 'submitted' });
    return;
  }
  const rules = RULES[command] ?? [];
  // Half of the time, pick a request that allows the command, so that requests get far.
  const possible = pick % 2 === 0 ? requests.filter(({ status }) => rules.some(({ from }) => from === status)) : requests;
  const request = possible[pick % Math.max(1, possible.length)];
  if (request === undefined) return;
  const rule = rules.find(({ from }) => from === request.status);
  if (rule === undefined && command === 'revise') return;
  const revised = request.amount === 1 ? 2 : request.amount - 1;
  const done = await isDone(perform(command, request.id, revised));
  const hasFunds = rule?.available !== -1 || request.amount <= balance.available_cents;
  assert.equal(done, rule !== undefined && hasFunds, `${command} of ${request.status}`);
  if (rule === undefined || !done) return;
  request.status = rule.to;
  balance.available_cents += rule.available * request.amount;
  balance.held_cents += rule.held * request.amount;
  balance.paid_cents += rule.paid * request.amount;
  if (command === 'revise') request.amount = revised;
}

describe('the ledger', () => {
  test('[LEDGER-1] cents are conserved by any commands in any order', async () => {
    const command = fc.record({
      command: fc.constantFrom(...COMMANDS),
      amount: fc.oneof(
        { arbitrary: fc.integer({ min: 1, max: 5000 }), weight: 15 },
        { arbitrary: fc.constant(9_999_999_999), weight: 1 },
      ),
      pick: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 60 }), async (commands) => {
        const model: Model = {
          caseId: await newCase(),
          balance: { funded_cents: 0, held_cents: 0, paid_cents: 0, available_cents: 0 },
          requests: [],
        };
        for (const { command, amount, pick } of commands) {
          await step(model, command, amount, pick);
          const balance = await findCaseBalance(db, model.caseId);
          assert.deepEqual(balance, model.balance, command);
          const { funded_cents, held_cents, paid_cents, available_cents } = balance;
          assert.equal(funded_cents, held_cents + paid_cents + available_cents);
          assert.ok(Math.min(held_cents, paid_cents, available_cents) >= 0);
        }
        assert.equal(await total(), 0);
        assert.deepEqual(await wrongBalances(), []);
      }),
      { numRuns: 25 },
    );
  });

  test('[FUNDS-1] of ten approvals at once, as many succeed as the case can pay for', async () => {
    const caseId = await newCase();
    await deposit(caseId, 550);
    const ids: number[] = [];
    for (let at = 0; at < 10; at += 1) {
      const id = await ask(caseId, 100);
      await submitDisbursement(context, id, by(surrogate));
      ids.push(id);
    }
    const done = await Promise.all(ids.map((id) => isDone(approve(id))));
    assert.equal(done.filter(Boolean).length, 5);
    const expected = { funded_cents: 550, held_cents: 500, paid_cents: 0, available_cents: 50 };
    assert.deepEqual(await findCaseBalance(db, caseId), expected);
  });

  test('[FUNDS-1, FUNDS-2] more than the case has can be submitted but not approved, until a deposit covers it', async () => {
    const caseId = await newCase();
    await deposit(caseId, 100);
    const id = await ask(caseId, 101);
    await submitDisbursement(context, id, by(surrogate));
    await assert.rejects(approve(id), { code: 'insufficient_funds' });
    await deposit(caseId, 1);
    await approve(id);
  });

  test('[RETURN-1] the money of a payment that the bank returns can be spent again', async () => {
    const caseId = await newCase();
    await deposit(caseId, 500);
    const id = await ask(caseId, 200);
    await submitDisbursement(context, id, by(surrogate));
    await approve(id);
    for (const command of ['batch', 'pay'] as const) await perform(command, id, 200);
    const paid = { funded_cents: 500, held_cents: 0, paid_cents: 200, available_cents: 300 };
    assert.deepEqual(await findCaseBalance(db, caseId), paid);
    await perform('return', id, 200);
    assert.deepEqual(await findCaseBalance(db, caseId), { ...paid, paid_cents: 0, available_cents: 500 });
    const posted = await query(
      db,
      sql`select account, amount_cents from ledger_posting p join ledger_transaction t on t.id = p.transaction_id
           where t.kind = 'return' and disbursement_id = ${id} order by account`,
    );
    const expected = [
      { account: 'cash', amount_cents: 200 },
      { account: 'funds', amount_cents: -200 },
    ];
    assert.deepEqual(posted, expected);
    await submitDisbursement(context, await ask(caseId, 500), by(surrogate));
  });
});
