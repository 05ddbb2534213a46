import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { getBatch } from '@case-platform/modules/banking';
import { DEMO_PASSWORD } from '../../support/cast.ts';
import { bringTo } from '../../support/money.ts';
import { BANK, gather, MONDAY, openDesk, press, problemOf, sign, step } from './batches-desk.ts';

/** A batch that cannot be sent is blocked, and one action removes what blocks it (BATCH-10). */

let now = MONDAY;
const desk = await openDesk({ now: () => now });
const { api, admin, surrogate, parent, root, finance, approved, putAccount } = desk;
const parent2 = await api.as('parent2');
const run = async (text: string, values: unknown[] = []) => (await api.pool.query(text, values)).rows;
await putAccount(surrogate);
await putAccount(parent, { account_number: '55667788' });
await root.post('/batches/bank', BANK);
let numbers = 200_000;
const changeAccount = async () => assert.equal((await putAccount(surrogate, { account_number: String(++numbers) })).status, 200);

/** Everything that a test did to the payees ends with it. */
afterEach(async () => {
  now = MONDAY;
  await run(`update user_account set status = 'active' where id = any($1)`, [[surrogate.userId, parent.userId]]);
  await run('update payee_bank_account set usable_from = created_at, flag_code = null, flagged_at = null');
});

const forParent = (amount_cents = 2500) =>
  bringTo(api, { maker: surrogate, checker: parent2 }, 'approved', {
    amount_cents,
    payee: { user_type: 'intended_parent', user_id: parent.userId },
  });
const deactivateParent = () => run(`update user_account set status = 'deactivated' where id = $1`, [parent.userId]);
const batchOf = async (path: string) =>
  (
    await run(
      `select status, approved_by, entry_count, total_cents::int as total_cents, effective_date::text as day, file_id_modifier as letter,
              encode(file_sha256, 'hex') as sha256 from banking_batch where id = $1`,
      [path.split('/')[2]],
    )
  )[0];
const traceOf = async (id: number) =>
  (await run('select trace_number from banking_batch_entry where disbursement_id = $1 order by id desc limit 1', [id]))[0]
    .trace_number;
const statusOf = async (id: number) => (await run('select status from disbursement_request where id = $1', [id]))[0].status;
const bankDateOf = async (id: number) =>
  (await run('select bank_date::text as day from disbursement_request where id = $1', [id]))[0].day;

type Stage = 'draft' | 'approved' | 'generated' | 'signed';

async function batchAt(stage: Stage, ids: number[]): Promise<string> {
  const path = await gather(finance, ids);
  if (stage === 'draft') return path;
  await step(root, path, 'approve');
  if (stage === 'approved') return path;
  await step(finance, path, 'generate');
  if (stage === 'signed') for (const who of [finance, root]) await sign(who, path);
  return path;
}

/** The step that would come next. */
const NEXT: Record<Stage, [isByMaker: boolean, name: string]> = {
  draft: [false, 'approve'],
  approved: [true, 'generate'],
  generated: [false, 'sign'],
  signed: [false, 'hand-out'],
};

for (const stage of ['draft', 'approved', 'generated', 'signed'] as const) {
  test(`[BATCH-10] a ${stage} batch with a payment that cannot be made is blocked everywhere, and one action clears it`, async () => {
    const [own, theirs] = [await approved({ amount_cents: 1100 }), await forParent()];
    const path = await batchAt(stage, [own, theirs]);
    const before = await batchOf(path);
    const trace = await traceOf(own);
    await deactivateParent();
    // After the cutoff, another file would name a later day.
    now = new Date('2026-11-23T20:00:00Z');
    const [maker, checker] = [await admin.as('finance'), await admin.as('root')];
    const [isByMaker, name] = NEXT[stage];
    const rejected = await press(api, isByMaker ? maker : checker, path, name);
    assert.deepEqual([rejected.status, (await batchOf(path)).status], [409, before.status]);
    assert.match(problemOf(rejected), /sign-in isn’t active\. Remove what can’t be sent first\./);
    const row = new RegExp(`href="${path}"[\\s\\S]*?<span class="state-pill[^>]*>([^<]+)<`);
    for (const reader of [maker, checker])
      for (const list of ['/batches', '/']) assert.equal(row.exec((await reader.get(list)).text)?.[1], 'Blocked', list);
    assert.doesNotMatch((await (await admin.as('viewer')).get(path)).text, /Paige|sign-in isn’t active/);

    const page = await maker.get(await step(maker, path, 'unblock'));
    const after = await batchOf(path);
    assert.deepEqual(
      [after.status, after.approved_by, after.entry_count, after.total_cents, after.day],
      ['draft', null, 1, 1100, before.day],
    );
    assert.deepEqual([await statusOf(own), await statusOf(theirs)], ['batched', 'approved']);
    assert.match(page.text, /Removed 1 payment that can’t be sent\./);
    if (before.sha256 === null) return assert.equal(after.sha256, null);

    assert.match(page.text, /The rest should still arrive on Tuesday, November 24, 2026\./);
    assert.notEqual(after.sha256, before.sha256);
    assert.equal((await getBatch(api.db, Number(path.split('/')[2]), now)).signatures, 0, 'those of the old file');
    assert.deepEqual([await bankDateOf(own), await bankDateOf(theirs)], ['2026-11-24', null]);
    assert.ok(after.letter > before.letter && (await traceOf(own)) > trace, 'numbers of the old file are not used again');
    assert.equal((await press(api, checker, path, 'sign')).status, 409, 'not before it is approved again');
    await step(checker, path, 'approve');
    assert.equal((await batchOf(path)).status, 'generated', 'its file is already made');
    assert.equal((await press(api, checker, path, 'hand-out')).status, 409, 'earlier signatures do not count');
    for (const signer of [checker, maker]) await sign(signer, path);
    await step(checker, path, 'hand-out');
    const file = await checker.get(`${path}/file`);
    const entries = file.text.split('\n').filter((line) => line.startsWith('6'));
    assert.deepEqual([entries.length, Number(entries[0]?.slice(29, 39))], [1, 1100]);
    await step(checker, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 1' });
    await step(checker, path, 'settle');
    assert.deepEqual([await statusOf(own), await statusOf(theirs)], ['paid', 'approved']);
  });
}

test('[BATCH-10, BANK-8] a file with a changed account is made again without it, and only that approval is removed', async () => {
  const [own, theirs] = [await approved(), await forParent()];
  const path = await batchAt('signed', [own, theirs]);
  await changeAccount();
  assert.equal((await press(api, root, path, 'hand-out')).status, 409);
  await step(root, path, 'unblock');
  assert.deepEqual([await statusOf(own), await statusOf(theirs)], ['draft', 'batched']);
  // An account that is flagged while the file waits for its new approval does not change the file.
  await run(`update payee_bank_account set flag_code = 'R02', flagged_at = now() where user_id = $1`, [parent.userId]);
  const made = await batchOf(path);
  assert.equal((await press(api, root, path, 'approve')).status, 409);
  assert.match((await root.get(path)).text, /Remove this payment and cancel the batch/);
  assert.deepEqual(await batchOf(path), made);
});

test('[BATCH-10] a batch of which nothing is left is cancelled', async () => {
  const ids = [await forParent(), await forParent()];
  const path = await batchAt('generated', ids);
  await deactivateParent();
  const page = await root.get(path);
  assert.match(page.text, /Remove these payments and cancel the batch/);
  const done = await root.fill(page, `${path}/unblock`);
  assert.equal(done.status, 303, problemOf(done));
  assert.match((await root.get(done.location ?? '')).text, /Nothing was left to pay, so the batch was cancelled/);
  assert.deepEqual((await batchOf(path)).status, 'cancelled');
  for (const id of ids) assert.equal(await statusOf(id), 'approved');
});

test('[BATCH-10, BATCH-7] a file whose day has come is blocked too, and is made again for another day', async () => {
  const id = await approved();
  const path = await batchAt('generated', [id]);
  now = new Date('2026-11-24T16:05:00Z');
  const [maker, checker] = [await admin.as('finance'), await admin.as('root')];
  for (const name of ['sign', 'hand-out']) assert.equal((await press(api, checker, path, name)).status, 409, name);
  const page = await maker.get(await step(maker, path, 'unblock'));
  assert.match(page.text, /should arrive on Wednesday, November 25, 2026 instead of Tuesday, November 24, 2026\./);
  assert.deepEqual([(await batchOf(path)).day, await bankDateOf(id)], ['2026-11-25', '2026-11-25']);
  await step(checker, path, 'approve');
  for (const signer of [maker, checker]) await sign(signer, path);
  await step(checker, path, 'hand-out');
});

test('[BATCH-10, BATCH-8] of 20 who clear a batch at once one does, a repeated form does nothing, and a failed file removes nothing', async () => {
  const [own, theirs] = [await approved(), await forParent()];
  const path = await batchAt('generated', [own, theirs]);
  await deactivateParent();
  const before = await batchOf(path);
  const { list_sha256: sha256 } = await getBatch(api.db, Number(path.split('/')[2]), now);
  const clear = (fields = {}) => finance.post(`${path}/unblock`, { sha256, disbursement_ids: String(theirs), ...fields });
  for (const fields of [
    { sha256: '0'.repeat(64) },
    { disbursement_ids: String(own) },
    { disbursement_ids: [] },
    { disbursement_ids: [String(theirs), String(own)] },
  ])
    assert.equal((await clear(fields)).status, 409, JSON.stringify(fields));
  await run(`update payee_bank_account set routing_number = '021000022' where user_id = $1 and replaced_at is null`, [
    surrogate.userId,
  ]);
  assert.equal((await clear()).status, 422, 'the file cannot be made');
  assert.deepEqual([await batchOf(path), await statusOf(theirs)], [before, 'batched']);
  await run(`update payee_bank_account set routing_number = '021000021' where user_id = $1 and replaced_at is null`, [
    surrogate.userId,
  ]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => clear()));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, ...Array(19).fill(409)]);
  const after = await batchOf(path);
  assert.equal((await clear()).status, 409);
  assert.deepEqual(await batchOf(path), after);
  assert.equal(
    (await run(`select from audit_entry where action = 'banking_batch.unblock' and subject_id = $1`, [path.split('/')[2]]))
      .length,
    1,
  );
  assert.equal(
    (await finance.post(`${path}/remove`, { disbursement_id: String(own) })).status,
    409,
    'the file has every payment',
  );
});

test('[BATCH-11] what is unusual about payments is shown before they are approved, signed, and released, and identity is confirmed', async () => {
  await changeAccount();
  await run('update payee_bank_account set usable_from = created_at');
  const twice = [await approved({ amount_cents: 9900 }), await approved({ amount_cents: 9900, description: 'Second train' })];
  const path = await gather(finance, twice);
  const unusual = /Check first:[\s\S]*?<ul>([\s\S]*?)<\/ul>/;
  const saysAll = async (who: typeof root, name: string) => {
    const page = await who.get(path);
    assert.ok(page.text.includes(`action="${path}/${name}"`), name);
    const words = unusual.exec(page.text)?.[1] ?? '';
    for (const one of [/The bank account was changed on/, /Another payment of \$99\.00 to the same person: Second train/])
      assert.match(words, one, name);
    assert.match(words, /The account holder is Sam .*not Sarah Lindgren/, name);
  };
  await saysAll(root, 'approve');
  await step(root, path, 'approve');
  await step(finance, path, 'generate');
  await saysAll(root, 'sign');
  // Eleven minutes later the page asks who is there, and the step itself does too.
  now = new Date(MONDAY.getTime() + 11 * 60_000);
  const text = (await root.get(path)).text.replaceAll('&#61;', '=');
  assert.match(text, new RegExp(`href="/account/confirm\\?next=${encodeURIComponent(path)}"[^>]*>.*Confirm it’s you to sign`));
  assert.doesNotMatch(text, new RegExp(`action="${path}/sign"`));
  assert.equal((await press(api, root, path, 'sign')).location, `/account/confirm?next=${encodeURIComponent(path)}`);
  assert.equal((await batchOf(path)).status, 'generated');
  await root.post('/account/confirm', { password: DEMO_PASSWORD, next: path });
  await sign(root, path);
  await finance.post('/account/confirm', { password: DEMO_PASSWORD, next: path });
  await sign(finance, path);
  await saysAll(root, 'hand-out');
  await step(root, path, 'hand-out');
  assert.doesNotMatch((await root.get(path)).text, unusual, 'the file was released');
});
