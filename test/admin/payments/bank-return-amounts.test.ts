import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { flagAccount } from '../../../modules/banking/bank-accounts/flag-account.ts';
import { createAccountSeal } from '../../../modules/banking/bank-accounts/seal-account-number.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { returnFile } from '../../support/return-file.ts';
import { BANK, gather, openDesk, problemOf, readReturns, sign, step } from '../batches/batches-desk.ts';

/** A return is matched by its trace number and amount, and counts once. */

/** Opens a desk for one test, with two payments of one batch that the bank has made. */
async function open() {
  const { api, surrogate, root, finance, approved, putAccount, statusOf } = await openDesk();
  const giveAccount = () => putAccount(surrogate);
  await giveAccount();
  await root.post('/batches/bank', BANK);
  const rowsOf = async (text: string, values: unknown[] = []) => (await api.pool.query(text, values)).rows;
  const [one, other] = [await approved({ amount_cents: 50_000 }), await approved({ amount_cents: 7000 })];
  const path = await gather(finance, [one, other]);
  await step(root, path, 'approve');
  await step(finance, path, 'generate');
  await sign(finance, path);
  await sign(root, path);
  await step(root, path, 'hand-out');
  await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 1' });
  await step(root, path, 'settle');
  const traces = (await rowsOf('select trace_number from banking_batch_entry order by disbursement_id')).map(
    ({ trace_number }) => trace_number as string,
  );
  const [trace = ''] = traces;
  /** Uploads and confirms a file. @returns the outcome of each of its entries. */
  const readAll = async (entries: Parameters<typeof returnFile>[0]): Promise<string[]> => {
    const answer = await readReturns(finance, root, returnFile(entries));
    assert.equal(answer.status, 200, problemOf(answer));
    const rows = await rowsOf(
      'select outcome from bank_return_entry where file_id = (select max(id) from bank_return_file) order by line',
    );
    return rows.map(({ outcome }) => outcome as string);
  };
  /** Records a return of the first payment. @returns the outcome. */
  const read = async (cents: number, code = 'R01') => (await readAll([{ code, trace, cents }]))[0];
  return { api, one, other, trace, traces, read, readAll, rowsOf, statusOf, giveAccount };
}

test('[RETURN-3] a return with another amount, even by a cent, or of another payment is not matched', async () => {
  const { one, other, read, statusOf } = await open();
  for (const cents of [49_999, 50_001, 7000]) assert.equal(await read(cents), 'not_ours', String(cents));
  assert.deepEqual([await statusOf(one), await statusOf(other)], ['paid', 'paid']);
});

test('[RETURN-1] a payment that one file returns several times comes back once, and the file’s other returns count as well', async () => {
  const { one, other, rowsOf, statusOf, traces, readAll } = await open();
  const [first = '', second = ''] = traces;
  const entries = [
    { code: 'R01', trace: first, cents: 50_000 },
    { code: 'R01', trace: first, cents: 50_000 },
    { code: 'R02', trace: second, cents: 7000 },
    { code: 'R03', trace: first, cents: 50_000 },
  ];
  const outcomes = ['returned', 'already_returned', 'returned', 'already_returned'];
  assert.deepEqual(await readAll(entries), outcomes);
  assert.deepEqual([await statusOf(one), await statusOf(other)], ['returned', 'returned']);
  const returns = await rowsOf(
    `select disbursement_id::int as id from ledger_transaction where kind = 'return' order by disbursement_id`,
  );
  assert.deepEqual(
    returns.map(({ id }) => id),
    [one, other],
  );
});

test('[RETURN-3] an entry that was taken out of its batch has not come back', async () => {
  const { one, read, rowsOf } = await open();
  await rowsOf('update banking_batch_entry set released_at = now() where disbursement_id = $1', [one]);
  assert.equal(await read(50_000, 'R02'), 'not_ours');
  await rowsOf('update banking_batch_entry set released_at = null where disbursement_id = $1', [one]);
});

test('[NACHA-4, RETURN-3] a repeated trace number means the newest payment, which comes back once and flags its account', async () => {
  const { api, one, other, trace, read, rowsOf, statusOf, giveAccount } = await open();
  // Trace numbers repeat after ten million entries, so the older payment gets the same number and amount here.
  await rowsOf('update banking_batch_entry set trace_number = $2, amount_cents = 50000 where disbursement_id = $1', [
    other,
    trace,
  ]);
  const newest = (await rowsOf('select disbursement_id::int as id from banking_batch_entry order by id desc limit 1'))[0].id;
  assert.equal(await read(50_000, 'R03'), 'returned');
  assert.equal(await statusOf(newest), 'returned');
  assert.equal(await statusOf(newest === one ? other : one), 'paid');
  assert.equal(await read(50_000, 'R04'), 'already_returned');
  assert.equal((await rowsOf(`select from ledger_transaction where kind = 'return'`)).length, 1);
  const [account] = await rowsOf('select id, flag_code from payee_bank_account');
  assert.equal(account.flag_code, 'R03');
  // Neither a later notification of change nor a return with another reason clears the flag.
  for (const [code, expected] of [
    ['C01', 'R03'],
    ['R17', 'R03'],
    ['R02', 'R02'],
    ['R03', 'R03'],
  ] as const) {
    const flag = {
      bankAccountId: account.id,
      code,
      correction: null,
      by: { actor: null, origin: SYSTEM },
      now: new Date(),
    };
    await api.db.transaction((tx) => flagAccount(tx, createAccountSeal(TEST_SECRETS.encryptionKey), flag));
    assert.equal((await rowsOf('select flag_code from payee_bank_account'))[0].flag_code, expected, code);
  }
  // Entering the account again replaces the flagged one with one that can be paid.
  for (let times = 0; times < 2; times += 1) assert.equal((await giveAccount()).status, 200);
  const kept = await rowsOf('select flag_code, replaced_at is null as is_used from payee_bank_account order by id');
  assert.deepEqual(kept, [
    { flag_code: 'R03', is_used: false },
    { flag_code: null, is_used: true },
  ]);
});
