import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { flagAccount } from '../../../modules/banking/bank-accounts/flag-account.ts';
import { createAccountSeal } from '../../../modules/banking/bank-accounts/seal-account-number.ts';
import { planReturns } from '../../../modules/banking/returns/plan-returns.ts';
import { reasonInWords, takesEffect } from '../../../words/bank-reasons.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { returnFile } from '../../support/return-file.ts';
import { BANK, gather, openDesk, problemOf, readReturns, releaseBatch, sign, step } from '../batches/batches-desk.ts';

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
  return { api, root, path, one, other, trace, traces, read, readAll, rowsOf, statusOf, giveAccount };
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
    };
    await api.db.transaction((tx) => flagAccount(tx, createAccountSeal(TEST_SECRETS.encryptionKey), flag, new Date()));
    assert.equal((await rowsOf('select flag_code from payee_bank_account'))[0].flag_code, expected, code);
  }
  // Entering the account again replaces the flagged one with one that can be paid.
  for (let times = 0; times < 2; times += 1) assert.equal((await giveAccount()).status, 200);
  const accounts = await rowsOf('select flag_code, replaced_at is null as is_used from payee_bank_account order by id');
  assert.deepEqual(accounts, [
    { flag_code: 'R03', is_used: false },
    { flag_code: null, is_used: true },
  ]);
});

const CODES = ['R', 'C'].flatMap((kind) => Array.from({ length: 100 }, (_, at) => `${kind}${String(at).padStart(2, '0')}`));

test('[RETURN-9] a rejected return and an unknown code are shown to finance and move nothing, also the second time and later', async () => {
  const { api, one, other, trace, readAll, read, rowsOf, statusOf, root, path } = await open();
  const states = async () => [
    await rowsOf('select * from disbursement_request order by id'),
    await rowsOf('select * from ledger_posting order by 1, 2, 3'),
    await rowsOf('select id, status from banking_batch'),
    await rowsOf('select * from banking_batch_entry order by id'),
    await rowsOf('select * from payee_bank_account'),
    await rowsOf('select * from delivery order by id'),
    await rowsOf(`select id, key from graphile_worker.jobs where task_identifier like '%disbursement' order by id`),
  ];
  const noted = CODES.filter((code) => !takesEffect(code));
  const before = await states();
  for (const times of ['once', 'twice']) {
    // A file with other lines is another file, so that it is read again.
    const codes = times === 'once' ? noted : noted.toReversed();
    const outcomes = await readAll(codes.map((code) => ({ code, trace, cents: code.startsWith('R') ? 50_000 : 0 })));
    assert.deepEqual([...new Set(outcomes)], ['noted'], times);
    assert.deepEqual(await states(), before, times);
  }
  for (const page of [path, '/payments?state=paid']) {
    const { text } = await root.get(page);
    assert.match(text, /R62<\/span> Nothing changed/, page);
    assert.ok(text.includes(reasonInWords('R62').replace('’', '&#39;')) || text.includes(reasonInWords('R62')), page);
  }
  const kinds = await Promise.all(
    CODES.filter(takesEffect).map(async (code) => {
      const shared = { line: 1, code, reason: '', original_trace: trace, name: '' };
      const entry = code.startsWith('R')
        ? { ...shared, kind: 'return' as const, amount_cents: 50_000 }
        : { ...shared, kind: 'change' as const, amount_cents: 0, correction: {} };
      const [planned] = await planReturns(api.db, [entry]);
      return `${code[0]} ${planned?.outcome}`;
    }),
  );
  assert.deepEqual([...new Set(kinds)], ['R returned', 'C corrected']);
  assert.equal(await read(50_000, 'R01'), 'returned', 'the payment can still come back');
  assert.equal(await read(50_000, 'R61'), 'noted', 'the bank rejected that return');
  assert.deepEqual([await statusOf(one), await statusOf(other)], ['returned', 'paid']);
});

test('[RETURN-9, RETURN-6] a rejected return does not prove that the bank has a file', async () => {
  const { api, finance, root, approved } = await openDesk().then(async (desk) => {
    await desk.putAccount(desk.surrogate);
    await desk.root.post('/batches/bank', BANK);
    return desk;
  });
  const path = await releaseBatch(finance, root, [await approved({ amount_cents: 50_000 })]);
  const statusOfBatch = async () => (await api.pool.query('select status from banking_batch')).rows[0].status;
  const { rows } = await api.pool.query('select trace_number from banking_batch_entry');
  const entry = { trace: rows[0].trace_number, cents: 50_000 };
  // The confirming person is not the maker of the batch.
  for (const [code, status] of [
    ['R61', 'outcome_unknown'],
    ['R99', 'outcome_unknown'],
    ['R01', 'transmitted'],
  ] as const) {
    const answer = await readReturns(finance, root, returnFile([{ ...entry, code }]));
    assert.equal(answer.status, 200, problemOf(answer));
    assert.equal(await statusOfBatch(), status, `${code} ${path}`);
  }
});
