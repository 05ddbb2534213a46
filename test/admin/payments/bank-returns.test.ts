import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnFile } from '../../support/return-file.ts';
import { BANK, gather, openDesk, problemOf, readReturns, sign, step, takeIn } from '../batches/batches-desk.ts';

/** Opens a desk for one test, because a return file changes what later tests would see. */
async function open() {
  const desk = await openDesk();
  const { api, surrogate, root, finance, putAccount } = desk;
  await putAccount(surrogate);
  await root.post('/batches/bank', BANK);
  const rowsOf = async (text: string, values: unknown[] = []) => (await api.pool.query(text, values)).rows;
  /** Brings requests to the bank and, if `settled`, marks them as paid. */
  const transmit = async (ids: number[], { settled = true } = {}): Promise<string> => {
    const path = await gather(finance, ids);
    await step(root, path, 'approve');
    await step(finance, path, 'generate');
    await sign(finance, path);
    await sign(root, path);
    await step(root, path, 'hand-out');
    await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 1' });
    if (settled) await step(root, path, 'settle');
    return path;
  };
  const traceOf = async (id: number): Promise<string> =>
    (await rowsOf('select trace_number from banking_batch_entry where disbursement_id = $1', [id]))[0].trace_number;
  /** Lets finance upload a file and an administrator confirm it. */
  const send = (text: string) => readReturns(finance, root, text);
  return { ...desk, rowsOf, transmit, traceOf, send };
}

test('[RETURN-1, RETURN-2] a return sets the request to returned, with its reason, and restores the money, and a file works once', async () => {
  const { surrogate, root, finance, approved, statusOf, rowsOf, transmit, traceOf, send } = await open();
  const [gone, kept] = [await approved({ amount_cents: 50_000 }), await approved({ amount_cents: 7000 })];
  const path = await transmit([gone, kept]);
  const before = (
    await rowsOf(`select coalesce(-sum(amount_cents), 0)::int8 as funds from ledger_posting where account = 'funds'`)
  )[0].funds;
  const text = returnFile([{ code: 'R03', trace: await traceOf(gone), cents: 50_000 }]);
  const read = await send(text);
  assert.equal(read.status, 200, problemOf(read));
  assert.match(read.text, /There’s no such account/);
  assert.match(read.text, /Sent back/);
  const request = (await surrogate.get(`/api/disbursements/${gone}`)).body;
  assert.deepEqual([request.status, request.return_code], ['returned', 'R03']);
  assert.equal(await statusOf(kept), 'paid');
  const after = (
    await rowsOf(`select coalesce(-sum(amount_cents), 0)::int8 as funds from ledger_posting where account = 'funds'`)
  )[0].funds;
  assert.equal(Number(after) - Number(before), 50_000);
  const reason = /There’s no such account[^<]*<span class="mono">R03<\/span>/;
  const audited = await rowsOf(
    `select id from audit_entry where action in ('disbursement.return', 'bank_account.flag', 'bank_return_file.apply')`,
  );
  assert.equal(audited.length, 3);
  for (const page of [path, '/payments?state=paid', ...audited.map((entry) => `/audit/${entry.id}`)])
    assert.match((await root.get(page)).text, reason, page);
  assert.match((await root.get(`/disbursements/${gone}`)).text, /There’s no such account[^<]*\(R03\)/);
  assert.match(
    (await root.get(path)).text,
    new RegExp(`1 payment in this batch came back[\\s\\S]*href="/disbursements/${gone}"`),
  );
  assert.match(request.return.reason, /There’s no such account/);
  assert.match(request.return.what_to_do, /another bank account/);

  const again = await send(text);
  assert.deepEqual([again.status, problemOf(again)], [409, 'This file was uploaded before, so nothing was changed.']);
  const other = await send(
    returnFile([
      { code: 'R03', trace: await traceOf(gone), cents: 50_000 },
      { code: 'R02', trace: '091000019999999', cents: 1 },
    ]),
  );
  assert.match(other.text, /Already recorded/);
  assert.match(other.text, /Not ours/);
  assert.equal(
    (await rowsOf(`select id from ledger_transaction where kind = 'return' and disbursement_id = $1`, [gone])).length,
    1,
  );

  const next = await approved();
  assert.match((await finance.get('/batches/new')).text, /needs to add another bank account/);
  assert.equal((await finance.post('/batches', { disbursement_ids: String(next) })).status, 409);
});

test('[RETURN-5] a notification of change flags the account, and staff decide to use its correction', async () => {
  const { surrogate, putAccount, root, finance, approved, statusOf, transmit, traceOf, send } = await open();
  const id = await approved();
  await transmit([id]);
  const text = returnFile([{ code: 'C01', trace: await traceOf(id), cents: 0, corrected: '55667788' }]);
  const read = await send(text);
  assert.match(read.text, /The account number needs to be corrected/);
  assert.equal(await statusOf(id), 'paid');
  const path = `/bank-accounts/${surrogate.userId}`;
  const page = await root.get(path);
  assert.match(page.text, /The bank asks for a correction \(C01\)/);
  assert.doesNotMatch(page.text, /55667788|9876501234/);
  assert.equal((await finance.post(`${path}/correction`, { version: 'x' })).status, 403);
  assert.match((await finance.get(path)).text, /Your role can’t see bank accounts/);
  assert.doesNotMatch((await finance.get(path)).text, /\b1234\b/);
  assert.equal((await root.fill(page, `${path}/correction`)).status, 303);
  assert.match((await root.get(path)).text, /7788/);
  assert.match((await root.get(path)).text, /Not in use yet/);
  assert.equal((await root.fill(page, `${path}/correction`)).status, 409, 'it is used already');
  assert.equal((await putAccount(surrogate, { account_number: '4455661212' })).status, 200);
  const version = versionIn((await root.get(path)).text);
  assert.equal((await root.post(`${path}/correction`, { version })).status, 409, 'it was of a replaced account');
  assert.match((await root.get(path)).text, /1212/);
});

/** Returns the version in the form of an account. */
const versionIn = (page: string) => /name="version" value="([^"]+)"/.exec(page)?.[1] ?? '';

test('[RETURN-5] a corrected name can be used, and a corrected reference and other text are shown to staff', async () => {
  const { surrogate, root, finance, approved, transmit, traceOf, send } = await open();
  const path = `/bank-accounts/${surrogate.userId}`;
  const told = async (code: string, corrected: string) => {
    const id = await approved();
    await transmit([id]);
    assert.equal((await send(returnFile([{ code, trace: await traceOf(id), cents: 0, corrected }]))).status, 200);
    return (await root.get(path)).text;
  };
  const reference = await told('C09', 'DR 4711-B');
  assert.match(reference, /Reference: DR 4711-B\./);
  assert.doesNotMatch(reference, /Use the correction/);
  assert.equal((await root.post(`${path}/correction`, { version: versionIn(reference) })).status, 409);
  assert.match(await told('C13', 'ADDENDA TYPE 05'), /From the bank: ADDENDA TYPE 05\./);
  assert.match(await told('C04', 'ANNA NEWNAME'), /Account holder: ANNA NEWNAME\./);
  assert.doesNotMatch((await finance.get(path)).text, /ANNA NEWNAME/);
  assert.equal((await root.fill(await root.get(path), `${path}/correction`)).status, 303);
  assert.match((await root.get(path)).text, /<dd>ANNA NEWNAME<\/dd>/);
});

test('[RETURN-2] nothing of a file is applied unless all of it can be read', async () => {
  const { root, escrow, approved, statusOf, transmit, traceOf, send } = await open();
  const [settled, waiting] = [await approved(), await approved()];
  await transmit([settled]);
  await transmit([waiting], { settled: false });
  const entries = await Promise.all(
    [settled, waiting].map(async (id) => ({ code: 'R02', trace: await traceOf(id), cents: 12_500 })),
  );
  const whole = returnFile(entries);
  for (const text of [
    whole.replace('R02', 'R2x'),
    whole.split('\r\n').slice(0, -8).join('\r\n'),
    'hello',
    '',
    '\u0000\u0001',
    '%PDF-1.7',
  ]) {
    assert.equal((await send(text)).status, 422, text.slice(0, 20));
  }
  assert.equal((await root.upload('/batches/returns', {})).status, 422, 'no file');
  assert.equal((await send('9'.repeat(11 * 1024 * 1024))).status, 413);
  assert.equal((await takeIn(escrow, whole)).status, 403);
  assert.deepEqual([await statusOf(settled), await statusOf(waiting)], ['paid', 'batched']);
});
