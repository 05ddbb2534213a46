import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grant } from '../../support/grant.ts';
import { decide } from '../../support/money.ts';
import { inOpenTransaction, untilWaiting } from '../../support/run-overlapping.ts';
import { ACCOUNT, BANK, gather, MONDAY, openDesk, press, problemOf, sign, step } from './batches-desk.ts';

let now = MONDAY;
const desk = await openDesk({ now: () => now });
const { api, surrogate, root, finance, approved, putAccount, statusOf } = desk;
await putAccount(surrogate);
await root.post('/batches/bank', { ...BANK, with_notes: 'yes' });
const rowsOf = async (text: string, values: unknown[] = []) => (await api.pool.query(text, values)).rows;
let numbers = 100_000;
const otherAccount = () => putAccount(surrogate, { account_number: String(++numbers) });
/** Lets a new account be used at once, so that the tests need not wait 48 hours. */
const coolOff = () => rowsOf('update payee_bank_account set usable_from = created_at where replaced_at is null');

async function signedBatch(ids: number[]): Promise<string> {
  const path = await gather(finance, ids);
  await step(root, path, 'approve');
  await step(finance, path, 'generate');
  await sign(finance, path);
  await sign(root, path);
  return path;
}

test('[BANK-3] a change of account takes its payments out of a batch without a file, and sends them back to draft', async () => {
  const [own, second] = [await approved(), await approved()];
  const path = await gather(finance, [own, second]);
  await step(root, path, 'approve');
  await otherAccount();
  assert.deepEqual([await statusOf(own), await statusOf(second)], ['draft', 'draft']);
  const page = await finance.get(path);
  assert.match(page.text, /A payee has changed the bank account/);
  assert.match(page.text, /Cancelled/);
  const rows = await rowsOf(
    `select coalesce(sum(p.amount_cents), 0)::int8 as held from ledger_posting p
       join ledger_transaction t on t.id = p.transaction_id where p.account = 'held' and t.disbursement_id = any($1::bigint[])`,
    [[own, second]],
  );
  assert.deepEqual(rows, [{ held: 0 }]);
  const waiting = await approved();
  const refused = await finance.post('/batches', { disbursement_ids: String(waiting) });
  assert.match(problemOf(refused), /changed their bank account, and we can’t use it yet/);
  await coolOff();
});

test('[BANK-3] after a change of account a file that was made is not released, and its requests go back to draft', async () => {
  const id = await approved();
  const path = await signedBatch([id]);
  await otherAccount();
  assert.equal(await statusOf(id), 'batched');
  const refused = await press(api, root, path, 'hand-out');
  assert.equal(refused.status, 409);
  assert.match(problemOf(refused), /was changed\. Remove what can’t be sent first/);
  assert.match((await root.get(path)).text, /Account changed/);
  await step(root, path, 'cancel', { reason: 'The account was changed' });
  assert.equal(await statusOf(id), 'draft');
  await coolOff();
});

test('[BATCH-7] a file whose effective date has been reached is not released', async () => {
  const path = await signedBatch([await approved()]);
  now = new Date('2026-11-24T05:30:00Z');
  const [late] = await Promise.all([desk.admin.as('root')]);
  const refused = await press(api, late, path, 'hand-out');
  assert.deepEqual(
    [refused.status, problemOf(refused)],
    [409, 'It’s too late to pay this file on Tuesday, November 24, 2026. Make the file again first.'],
  );
  now = MONDAY;
  await step(root, path, 'cancel', { reason: 'Too late' });
});

test('[NACHA-3] the effective date is a banking day, and for a same-day file that day, up to a million dollars', async () => {
  const dates: [string, boolean, string][] = [
    ['2026-11-23T16:05:00Z', false, '2026-11-24'],
    ['2026-11-23T19:05:00Z', false, '2026-11-25'],
    ['2026-11-23T16:05:00Z', true, '2026-11-23'],
    ['2026-11-25T20:00:00Z', false, '2026-11-30'],
    ['2026-11-26T16:05:00Z', true, '2026-11-27'],
    ['2026-11-28T16:05:00Z', false, '2026-12-01'],
  ];
  for (const [at, sameDay, expected] of dates) {
    now = MONDAY;
    const id = await approved();
    now = new Date(at);
    const [maker, checker] = await desk.admin.people('finance', 'root');
    const path = await gather(maker, [id], sameDay ? { same_day: 'yes' } : {});
    await step(checker, path, 'approve');
    await step(maker, path, 'generate');
    const [batch] = await rowsOf('select effective_date::text as day from banking_batch where id = $1', [path.split('/')[2]]);
    assert.equal(batch.day, expected, at);
    await step(maker, path, 'cancel', { reason: 'A try' });
  }
  now = MONDAY;
  const large = await approved({ amount_cents: 100_000_001 });
  assert.equal((await finance.post('/batches', { disbursement_ids: String(large), same_day: 'yes' })).status, 409);
  await step(finance, await gather(finance, [large]), 'cancel', { reason: 'A try' });
  const largest = await approved({ amount_cents: 100_000_000 });
  await step(finance, await gather(finance, [largest], { same_day: 'yes' }), 'cancel', { reason: 'A try' });
});

test('[BATCH-1] 20 people who press the same button at the same time take one step', async () => {
  const id = await approved();
  const path = await gather(finance, [id]);
  const batch = Number(path.split('/')[2]);
  const once = async (who: typeof root, name: string, fields: Record<string, string> = {}) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => press(api, who, path, name, fields)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, ...Array(19).fill(409)], name);
  };
  await once(root, 'approve');
  await once(finance, 'generate');
  await sign(finance, path);
  const sha256 = (await rowsOf(`select encode(file_sha256, 'hex') as hex from banking_batch where id = $1`, [batch]))[0].hex;
  await once(root, 'sign', { sha256 });
  await once(root, 'hand-out');
  await once(root, 'outcome', { outcome: 'accepted', note: 'Confirmation 1' });
  await once(root, 'settle');
  const counts = await rowsOf(
    `select (select count(*)::int from batch_signature where batch_id = $1) as signatures,
            (select count(*)::int from ledger_transaction where kind = 'payment' and disbursement_id = $2) as payments,
            (select count(*)::int from audit_entry where action = 'banking_batch.settle' and subject_id = $1) as audited`,
    [batch, id],
  );
  assert.deepEqual(counts, [{ signatures: 2, payments: 1, audited: 1 }]);
});

test('[BATCH-8] a connection that breaks in the middle of settling leaves the batch as it was', async () => {
  const id = await approved();
  const path = await signedBatch([id]);
  await step(root, path, 'hand-out');
  await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 2' });
  const died = await inOpenTransaction(api.pool, async (blocker) => {
    // Settling has already paid its requests when it reaches this table.
    await blocker.query('lock table banking_batch_step in exclusive mode');
    const settling = press(api, root, path, 'settle');
    await untilWaiting(api.pool, [settling]);
    const ended = await rowsOf(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%into banking_batch_step%'
          and pid <> pg_backend_pid()`,
    );
    assert.equal(ended.length, 1);
    return settling;
  });
  assert.ok(died.status >= 500);
  assert.equal(await statusOf(id), 'batched');
  assert.deepEqual(await rowsOf(`select id from ledger_transaction where kind = 'payment' and disbursement_id = $1`, [id]), []);
  await step(root, path, 'settle');
  assert.equal(await statusOf(id), 'paid');
});

test('[BATCH-8] a file that cannot be made leaves the batch approved: no trace number, no number used up', async () => {
  const id = await approved();
  const path = await gather(finance, [id]);
  await step(root, path, 'approve');
  const next = () => rowsOf('select next_trace_sequence from bank_profile');
  const before = await next();
  await rowsOf(`update payee_bank_account set routing_number = '021000022' where replaced_at is null`);
  const refused = await press(api, finance, path, 'generate');
  assert.equal(refused.status, 422);
  assert.match((await finance.get(path)).text, /Make the file/);
  assert.deepEqual(await next(), before);
  await rowsOf(`update payee_bank_account set routing_number = '021000021' where replaced_at is null`);
  await step(finance, path, 'generate');
});

test('[BANK-6] a person who entered an account has a part in its payments, also after a colleague corrected it', async () => {
  await grant(api.pool, 'finance', 'edit_bank_accounts');
  const rootApi = await api.as('root');
  const path = `/bank-accounts/${surrogate.userId}`;
  const enter = async (who: typeof root, fields: Record<string, string>) => {
    assert.equal((await who.fill(await who.get(path), path, { ...ACCOUNT, ...fields })).status, 303);
    await coolOff();
  };
  const refusesRoot = async () => {
    const ids = [await approved(), await approved()];
    const batch = await gather(finance, ids.slice(0, 1));
    assert.equal((await press(api, root, batch, 'approve')).status, 403);
    const approving = 'update banking_batch set approved_by = $2 where id = $1';
    const isRefused = { constraint: 'maker_never_approves' };
    await assert.rejects(rowsOf(approving, [batch.split('/')[2], rootApi.userId]), isRefused);
    await step(finance, batch, 'cancel', { reason: 'Tried' });
    const isAsked = `update disbursement_request set status = 'submitted', approver_id = null where id = $1`;
    await rowsOf(isAsked, [ids[1]]);
    assert.equal((await decide(rootApi, ids[1] ?? 0, 'deny', { reason: 'No' })).body.code, 'same_person');
  };
  await enter(root, { account_number: '700001' });
  await enter(finance, { account_number: '700001', holder_name: 'Another Spelling' });
  await refusesRoot();
  await enter(root, { account_number: '800001' });
  await rowsOf(`update payee_bank_account set flag_code = 'C01', flagged_at = now() where replaced_at is null`);
  await enter(finance, { account_number: '800002' });
  await refusesRoot();
  await enter(finance, { account_number: '900001' });
  const enteredBy = async () =>
    (await rowsOf('select entered_by from payee_bank_account where user_id = $1 and replaced_at is null', [surrogate.userId]))[0]
      .entered_by;
  assert.deepEqual(await enteredBy(), [], 'another number is another account');
  await enter(root, { account_number: '900001', holder_name: 'Another Spelling' });
  assert.equal((await enteredBy()).length, 1);
  await putAccount(surrogate, { account_number: '900001' });
  assert.deepEqual(await enteredBy(), [], 'the owner has entered it now');
});
