import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RETURN_FILE_MAX_BYTES } from '@case-platform/words/limits';
import { CASE_1 } from '../../support/cast.ts';
import { returnFile } from '../../support/return-file.ts';
import { BANK, gather, openDesk, problemOf, readReturns, sign, step, takeIn } from '../batches/batches-desk.ts';

/** A return file changes nothing until a second person has confirmed its effects (RETURN-2). */

const desk = await openDesk();
const { api, admin, surrogate, root, finance, escrow, viewer, approved, putAccount, statusOf } = desk;
const { pool } = api;
await putAccount(surrogate);
await root.post('/batches/bank', BANK);
const rowsOf = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows;
const idOf = async (email: string): Promise<number> =>
  Number((await rowsOf('select id from user_account where email_address = $1', [email]))[0].id);
const [_rootId, financeId] = [await idOf('root@demo.test'), await idOf('finance@demo.test')];

/** Creates this many paid requests. @returns their ids and trace numbers. */
async function paid(count: number): Promise<{ id: number; trace: string }[]> {
  await rowsOf('update payee_bank_account set usable_from = created_at, flag_code = null, flagged_at = null');
  const ids: number[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await approved({ amount_cents: 50_000 }));
  const path = await gather(finance, ids);
  await step(root, path, 'approve');
  await step(finance, path, 'generate');
  await sign(finance, path);
  await sign(root, path);
  await step(root, path, 'hand-out');
  await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 1' });
  await step(root, path, 'settle');
  const rows = await rowsOf(
    'select disbursement_id::int as id, trace_number as trace from banking_batch_entry where disbursement_id = any($1) order by 1',
    [ids],
  );
  return rows;
}
const fileOf = (traces: { trace: string }[], code = 'R03') =>
  returnFile(traces.map(({ trace }) => ({ code, trace, cents: 50_000 })));
const pathOf = (location: string | null) => (location ?? '').split('?', 1)[0] ?? '';
const versionIn = (text: string) => /name="version" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
const moved = async () => (await rowsOf(`select id from ledger_transaction where kind = 'return'`)).length;

test('[PAGE-2, RETURN-8] a return file that cannot be read comes back with the reason beside its field', async () => {
  const send = (...files: [name: string, content: string][]) =>
    finance.upload(
      '/batches/returns',
      {},
      files.map(([name, content]) => ({ name, type: 'text/plain', content: Buffer.from(content) })),
    );
  for (const [words, status, ...files] of [
    ['Choose the file you got from the bank.', 422],
    ['Line 1 isn’t part of a NACHA file.', 422, ['returns.ach', 'hello']],
    ['A return file can be up to ', 413, ['returns.ach', '1'.repeat(RETURN_FILE_MAX_BYTES + 1)]],
  ] as [string, number, ...[string, string][]][]) {
    const page = await send(...files);
    assert.equal(page.status, status, words);
    assert.ok(problemOf(page).startsWith(words), problemOf(page));
    assert.equal(/id="files-error">([^<]+)</.exec(page.text)?.[1], status === 422 ? words : undefined);
  }
});

describe('the second person', () => {
  test('[RETURN-2] an uploaded file shows its effects, which happen once someone else has confirmed them', async () => {
    const [one] = await paid(1);
    assert.ok(one);
    const before = await moved();
    const taken = await takeIn(finance, fileOf([one]));
    const path = pathOf(taken.location);
    assert.deepEqual([taken.status, await statusOf(one.id), await moved()], [303, 'paid', before]);
    assert.match((await root.get('/')).text, /1 return file to confirm[\s\S]*returns\.ach/);
    assert.doesNotMatch((await finance.get('/')).text, /to confirm/);
    const page = await root.get(path);
    for (const words of [
      'Train to the clinic',
      'to Sarah Lindgren',
      '$500.00',
      'R03',
      'Returns the money',
      '1 payment comes back',
    ])
      assert.ok(page.text.includes(words), words);
    const [{ sha256 }] = await rowsOf(`select encode(file_sha256, 'hex') as sha256 from bank_return_file where id = $1`, [
      path.split('/').at(-1),
    ]);
    assert.ok(page.text.includes(sha256));
    const own = (await finance.get(path)).text;
    assert.match(own, /You uploaded this file, so someone else has to confirm it/);
    assert.doesNotMatch(own, /\/confirm"/);
    assert.doesNotMatch((await viewer.get(path)).text, /returns\.ach|\$500/);
    assert.equal((await root.fill(page, `${path}/confirm`)).location, `${path}?done=confirmed`);
    assert.deepEqual([await statusOf(one.id), await moved()], ['returned', before + 1]);
    assert.match((await root.get(path)).text, /Confirmed by Ruth Adeyemi/);
    const files = await rowsOf('select content from bank_return_file where id = $1', [path.split('/').at(-1)]);
    assert.deepEqual(files, [{ content: null }], 'account numbers are not kept longer than needed');
  });

  test('[RETURN-2, PERSON-2] the person who read a file does not confirm it', async () => {
    const ones = await paid(1);
    const path = pathOf((await takeIn(finance, fileOf(ones))).location);
    const page = await root.get(path);
    assert.equal((await finance.post(`${path}/confirm`, { version: versionIn(page.text) })).status, 403);
    assert.equal(await statusOf(ones[0]?.id ?? 0), 'paid');
    assert.equal((await root.fill(page, `${path}/confirm`)).status, 303);
  });

  test('[RETURN-2] reading and confirming require make_payments and every request that the file is about', async () => {
    const ones = await paid(1);
    const text = fileOf(ones);
    assert.equal((await takeIn(escrow, text)).status, 403);
    // A request that is a draft again is only for those who see its case.
    const setStatus = (status: string) =>
      rowsOf('update disbursement_request set status = $2 where id = $1', [ones[0]?.id, status]);
    await setStatus('draft');
    assert.equal((await takeIn(finance, text)).status, 403);
    const path = pathOf((await takeIn(root, text)).location);
    const seen = (await finance.get(path)).text;
    assert.match(seen, /In a case you can’t see[\s\S]*Hidden/);
    const whole = (await root.get(path)).text;
    for (const hidden of ['$500.00', 'In the file: Sam']) {
      assert.ok(whole.includes(hidden), hidden);
      assert.ok(!seen.includes(hidden), hidden);
    }
    assert.doesNotMatch(seen, /\/confirm"/);
    assert.doesNotMatch((await finance.get('/')).text, /to confirm/);
    const version = versionIn(whole);
    for (const step of ['confirm', 'refuse'])
      assert.equal((await finance.post(`${path}/${step}`, { version, reason: 'x' })).status, 403, step);
    await rowsOf('insert into case_admin (case_id, user_id) values ($1, $2)', [CASE_1, financeId]);
    assert.match((await finance.get('/')).text, /1 return file to confirm/);
    await setStatus('paid');
    assert.equal((await finance.post(`${path}/confirm`, { version })).status, 303);
    await rowsOf('delete from case_admin where user_id = $1', [financeId]);
  });

  test('[RETURN-2, PERSON-6] a file whose effects have changed since they were seen is shown again', async () => {
    const [one, other] = await paid(2);
    assert.ok(one && other);
    const path = pathOf((await takeIn(finance, fileOf([one, other]))).location);
    const page = await root.get(path);
    assert.equal((await readReturns(finance, root, fileOf([one], 'R02'))).status, 200);
    const before = await moved();
    for (const step of ['confirm', 'refuse']) {
      const changed = await root.fill(page, `${path}/${step}`, { reason: 'x' });
      assert.equal(changed.status, 409);
      assert.match(problemOf(changed), /changed after you opened it/);
      assert.match(changed.text, /Already recorded/);
    }
    assert.deepEqual([await moved(), (await root.post(`${path}/confirm`)).status], [before, 422]);
    assert.equal((await root.fill(await root.get(path), `${path}/confirm`)).status, 303);
    assert.equal(await moved(), before + 1);
  });

  test('[RETURN-2] of ten confirmations at once one counts; a file that waits is not read again', async () => {
    const ones = await paid(1);
    const taken = await Promise.all(Array.from({ length: 5 }, () => takeIn(finance, fileOf(ones))));
    assert.deepEqual(taken.map(({ status }) => status).sort(), [303, 409, 409, 409, 409]);
    const path = pathOf(taken.find(({ status }) => status === 303)?.location ?? null);
    const [page, before] = [await root.get(path), await moved()];
    const all = await Promise.all(Array.from({ length: 10 }, () => root.fill(page, `${path}/confirm`)));
    assert.deepEqual(all.map(({ status }) => status).sort(), [303, ...Array.from({ length: 9 }, () => 409)]);
    assert.equal(await moved(), before + 1);
  });

  test('[RETURN-2] a rejected file says why, changes nothing, and may be read again', async () => {
    const ones = await paid(1);
    const path = pathOf((await takeIn(finance, fileOf(ones))).location);
    const page = await root.get(path);
    assert.equal((await root.fill(page, `${path}/refuse`, { reason: ' ' })).status, 422);
    assert.equal((await root.fill(page, `${path}/refuse`, { reason: 'Not from our bank' })).status, 303);
    assert.match((await finance.get(path)).text, /Refused by Ruth Adeyemi[\s\S]*Not from our bank/);
    assert.equal((await root.fill(page, `${path}/confirm`)).status, 409);
    assert.equal(await statusOf(ones[0]?.id ?? 0), 'paid');
    const again = pathOf((await takeIn(finance, fileOf(ones))).location);
    assert.equal((await finance.fill(await finance.get(again), `${again}/refuse`, { reason: 'Mine' })).status, 303);
    assert.equal((await readReturns(finance, root, fileOf(ones))).status, 200);
    assert.equal(await statusOf(ones[0]?.id ?? 0), 'returned');
  });

  test('[RETURN-2] where no one else could confirm, the page says so', async () => {
    const ones = await paid(1);
    const path = pathOf((await takeIn(root, fileOf(ones))).location);
    assert.doesNotMatch((await root.get(path)).text, /Nobody can do that right now/);
    await rowsOf(`update user_account set status = 'deactivated'
      where email_address in ('totp-admin@demo.test', 'finance@demo.test')`);
    assert.match((await root.get(path)).text, /Nobody can do that right now\. It takes another person/);
    await rowsOf(`update user_account set status = 'active' where status = 'deactivated'`);
    const version = versionIn((await root.get(path)).text);
    const back = await admin.as('finance');
    assert.equal((await back.post(`${path}/confirm`, { version })).status, 303);
  });
});
