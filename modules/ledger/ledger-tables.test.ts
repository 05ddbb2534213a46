import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUser } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { createTestDatabase } from '../../test/support/database.ts';
import { fundCase } from '../../test/support/money.ts';
import { findCaseBalance } from './case-balance.ts';

const { db, pool } = await createTestDatabase();
const person = async (email_address: string, user_type: UserType) => {
  const user = await findActiveUser(db, { email_address, user_type });
  assert.ok(user);
  return user;
};
const surrogate = await person('surrogate@demo.test', 'surrogate');
const parent = await person('parent@demo.test', 'ip');

/** A new case with the surrogate and the parent, and without money. */
async function newCase(): Promise<number> {
  const [made] = await query<{ id: number }>(
    db,
    sql`with made as (insert into case_file (name, status) values ('Ledger', 'active') returning id)
        insert into case_participant (case_id, user_id) select made.id, u
          from made, unnest(${[surrogate.id, parent.id]}::bigint[]) u
        returning case_id as id`,
  );
  return made?.id ?? 0;
}

const deposit = (caseId: number, amount_cents: number) => fundCase({ db }, caseId, amount_cents);

describe('the tables of the ledger', () => {
  test('[LEDGER-2] a posting is never changed, removed, or emptied', async () => {
    const caseId = await newCase();
    await deposit(caseId, 100);
    for (const table of ['ledger_transaction', 'ledger_posting']) {
      const column = table === 'ledger_posting' ? 'amount_cents = 1' : "memo = ''";
      for (const statement of [`update ${table} set ${column}`, `delete from ${table}`, `truncate ${table} cascade`]) {
        await assert.rejects(pool.query(statement), { code: '42501' }, statement);
      }
    }
  });

  test('[LEDGER-2] nothing is added later to a movement that sums to zero', async () => {
    const caseId = await newCase();
    await deposit(caseId, 100);
    const add = (amount: number) =>
      pool.query(
        `insert into ledger_posting (transaction_id, case_id, account, amount_cents)
         select id, case_id, 'held', $2 from ledger_transaction where case_id = $1`,
        [caseId, amount],
      );
    await assert.rejects(add(-5), { code: '23514', message: /do not sum to zero/ });
    assert.equal((await findCaseBalance(db, caseId)).held_cents, 0);
  });

  test('[LEDGER-1] postings that do not sum to zero, and accounts below zero, are rejected at the commit', async () => {
    const caseId = await newCase();
    await deposit(caseId, 100);
    const post = (postings: [string, number][], paidBack = 100) =>
      db.transaction(async (tx) => {
        const [made] = await query<{ id: number }>(
          tx,
          sql`with agreed as (
                insert into cash_entry (case_id, kind, amount_cents, recorded_by, status, decided_by, decided_at)
                select ${caseId}, 'refund', ${paidBack}, min(id), 'confirmed', max(id), now() from user_account
                 where email_address in ('root@demo.test', 'totp-admin@demo.test') returning id)
              insert into ledger_transaction (case_id, kind, cash_entry_id) select ${caseId}, 'refund', id from agreed
              returning id`,
        );
        for (const [account, amount] of postings) {
          await query(
            tx,
            sql`insert into ledger_posting (transaction_id, case_id, account, amount_cents)
                values (${made?.id ?? null}, ${caseId}, ${account}, ${amount})`,
          );
        }
      });
    const unbalanced: [string, number][][] = [
      [],
      [['cash', 5]],
      [
        ['cash', 5],
        ['funds', -4],
      ],
    ];
    for (const postings of unbalanced) await assert.rejects(post(postings), { code: '23514' }, JSON.stringify(postings));
    // An amount that two people agreed on, but more than the case has.
    const tooMuch = post(
      [
        ['funds', 101],
        ['cash', -101],
      ],
      101,
    );
    await assert.rejects(tooMuch, { code: '23514', message: /would be overdrawn/ });
    await post([
      ['funds', 100],
      ['cash', -100],
    ]);
    assert.equal((await findCaseBalance(db, caseId)).available_cents, 0);
  });
});
