import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import {
  approveBatch,
  cancelBatch,
  confirmOutcome,
  confirmReturnFile,
  findBankProfile,
  findBatchEntry,
  generateFile,
  getBatch,
  listBatches,
  listDuePayments,
  listPaidRequests,
  profileVersion,
  readBatchFile,
  releaseFile,
  removeFromBatch,
  setBankAccount,
  setBankProfile,
  settleBatch,
  signFile,
  unblockBatch,
} from '@case-platform/modules/banking';
import { addScheduledPayment } from '@case-platform/modules/cases';
import {
  approveDisbursement,
  clearStop,
  createDisbursement,
  denyDisbursement,
  getDisbursement,
  retryDisbursement,
  undoApproval,
  updateDisbursement,
} from '@case-platform/modules/disbursements';
import { listCaseCashEntries, recordCashEntry } from '@case-platform/modules/ledger';
import { sealFile } from '../../modules/banking/batches/batch-file.ts';
import { lockDisbursement } from '../../modules/disbursements/lock-disbursement.ts';
import { raiseStop } from '../../modules/disbursements/payment-stop/payment-stop.ts';
import { BANK } from '../admin/batches/batches-desk.ts';
import { openTwoFamilies } from './two-families.ts';

/** These tests do things a second time: on the next day, in another batch, after another return, or by another submission. */

const world = await openTwoFamilies();
const { db, pool, context, sealing, by, byAndTime, family, neighbor, approved, gather, transmit, settle, takeBack } = world;
const { root, checker, maker, viewer } = world.staff;

const rowOf = async (table: string, id: number) => (await pool.query(`select * from ${table} where id = $1`, [id])).rows[0];
const read = (id: number, reader = family.surrogate) => getDisbursement(db, reader, id, world.now());
/** Ends the cooling off of all accounts and removes their flags. */
const coolOff = () => pool.query('update payee_bank_account set usable_from = created_at, flag_code = null, flagged_at = null');
/** Uploads and confirms returns from the bank. */
const returnPayments = async (entries: { id: number; cents: number }[], code: string) =>
  confirmReturnFile(sealing, await takeBack(entries, code), ...byAndTime(checker));

test('[NACHA-4] each file of a day has its letter, the next day begins with A, and no trace number repeats', async () => {
  await coolOff();
  const files = async (day: string, count: number, time = `${day}T16:05:00Z`): Promise<string[]> => {
    world.setNow(time);
    const letters: string[] = [];
    for (let made = 0; made < count; made += 1) {
      const batch = await gather([await approved(family, 10), await approved(neighbor, 20)]);
      await world.approveAndGenerate(batch);
      letters.push((await rowOf('banking_batch', batch)).file_id_modifier);
    }
    return letters;
  };
  assert.deepEqual(await files('2026-12-01', 2), ['A', 'B']);
  assert.deepEqual(await files('2026-12-01', 1, '2026-12-02T03:00:00Z'), ['C'], 'still the same day in New York');
  assert.deepEqual(await files('2026-12-02', 2), ['A', 'B']);
  const traces = await query<{ trace_number: string }>(
    db,
    sql`select e.trace_number from banking_batch_entry e join banking_batch b on b.id = e.batch_id
         where b.file_day in ('2026-12-01', '2026-12-02') order by e.id`,
  );
  const numbers = traces.map(({ trace_number }) => Number(trace_number));
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => (numbers[0] ?? 0) + index),
  );
  // The bank accepts 36 files a day: letters, then digits.
  const day = '2026-12-03';
  assert.deepEqual(await files(day, 1), ['A']);
  const copyAs = (letters: string) =>
    pool.query(
      `insert into banking_batch (status, created_by, same_day, entry_count, total_cents, effective_date, file, file_sha256,
                                  file_day, file_id_modifier)
       select 'cancelled', created_by, false, 0, 0, effective_date, file, file_sha256, file_day, letter
         from banking_batch, unnest($2::text[]) letter where file_day = $1::date and file_id_modifier = 'A'`,
      [day, [...letters]],
    );
  await copyAs('BCDEFGHIJKLMNOPQRSTUVWXY');
  assert.deepEqual(await files(day, 2), ['Z', '0']);
  await copyAs('12345678');
  assert.deepEqual(await files(day, 1), ['9']);
  await assert.rejects(files(day, 1), { code: 'too_many_files' });
  await assert.rejects(copyAs('9'), { constraint: 'banking_batch_file_idx' });
});

test('[BATCH-5, BATCH-7] a file is released before its day in New York, and its batch is paid from that day on', async () => {
  await coolOff();
  world.setNow('2026-11-25T18:59:59Z');
  const batch = await gather([await approved(family, 10)]);
  const sha256 = await world.approveAndGenerate(batch);
  // The day before Thanksgiving, one second before the cutoff.
  assert.equal((await getBatch(db, batch, new Date())).effective_date, '2026-11-27');
  for (const signer of [root, checker]) await signFile(db, batch, sha256, ...byAndTime(signer));
  world.setNow('2026-11-27T05:00:00Z');
  await assert.rejects(releaseFile(db, batch, sha256, ...byAndTime(checker)), { code: 'too_late' });
  await cancelBatch(db, batch, 'Too late', ...byAndTime(maker));

  world.setNow('2026-11-25T19:00:00Z');
  const next = await gather([await approved(family, 10)]);
  const file = await world.approveAndGenerate(next);
  assert.equal((await getBatch(db, next, new Date())).effective_date, '2026-11-30');
  for (const signer of [root, checker]) await signFile(db, next, file, ...byAndTime(signer));
  world.setNow('2026-11-30T04:59:59Z');
  await releaseFile(db, next, file, ...byAndTime(checker));
  await pool.query("update banking_batch set status = 'transmitted' where id = $1", [next]);
  const { list_sha256 } = await getBatch(db, next, new Date());
  const pay = () => settleBatch(db, next, { sha256: list_sha256, early: null }, ...byAndTime(checker));
  await assert.rejects(pay(), { code: 'too_early' });
  world.setNow('2026-11-30T05:00:00Z');
  await pay();
});

test('[RETRY-1] after a return from the second account, a third account is needed', async () => {
  world.setNow('2026-11-23T16:05:00Z');
  await coolOff();
  const [id, other] = [await approved(family, 400), await approved(neighbor, 400)];
  const both = [
    { id, cents: 400 },
    { id: other, cents: 400 },
  ];
  const first = await gather([id, other]);
  await transmit(first);
  await settle(first);
  await returnPayments(both, 'R03');
  const retry = (request: number) => retryDisbursement(context, request, {}, by(root));
  await assert.rejects(retry(id), { code: 'account_not_changed' });
  await world.giveAccount(family, '99990001');
  assert.equal((await read(id)).not_payable, null, 'a new account that cools off does not stop another try');
  await coolOff();
  await assert.rejects(retry(other), { code: 'account_not_changed' }, 'the neighbor still has the same account');
  await retry(id);
  const waiting = await read(id);
  assert.deepEqual([waiting.status, waiting.return, waiting.paid_at, waiting.return_code], ['approved', null, null, null]);
  const { bank_date, returned_at } = await rowOf('disbursement_request', id);
  assert.deepEqual([bank_date, returned_at], [null, null]);

  const second = await gather([id]);
  await transmit(second);
  assert.equal((await findBatchEntry(db, id))?.batch_id, second);
  await settle(second);
  assert.equal((await findBatchEntry(db, id))?.batch_id, second);
  await returnPayments([{ id, cents: 400 }], 'R02');
  const paid = await listPaidRequests(db, maker, 100);
  assert.deepEqual(
    [id, other].map((one) => paid.find((row) => row.id === one)?.batch_id),
    [second, first],
  );
  const back = await read(id);
  assert.deepEqual([back.return?.code, back.return?.who_acts], ['R02', 'payee']);
  await assert.rejects(retry(id), { code: 'account_not_changed' }, 'it came back from their current account');
  await world.giveAccount(family, '99990002');
  assert.equal((await read(id)).return?.who_acts, 'staff');
  assert.equal((await read(other, neighbor.surrogate)).return?.who_acts, 'payee');
});

test('[RETRY-1, PAYABLE-1] a payment is not tried again while another one has shown that its account is closed', async () => {
  world.setNow('2026-11-23T16:05:00Z');
  await coolOff();
  const [id, other] = [await approved(family, 410), await approved(family, 420)];
  const batch = await gather([id, other]);
  await transmit(batch);
  await settle(batch);
  const paidAt = (await read(id)).paid_at;
  world.setNow('2026-11-24T16:05:00Z');
  await returnPayments([{ id, cents: 410 }], 'R01');
  await returnPayments([{ id: other, cents: 420 }], 'R02');
  const retry = () => retryDisbursement(context, id, { reason: 'There is money now' }, by(root));
  await assert.rejects(retry(), { code: 'payee_not_payable' });
  assert.equal((await read(id)).not_payable?.reason, 'account_closed');
  const listed = (await listPaidRequests(db, maker, 100)).find((row) => row.id === id);
  assert.deepEqual([listed?.status, listed?.moved_at], ['returned', paidAt], 'it keeps its place by the time of its payment');
  await coolOff();
  await retry();
});

test('[REQUEST-19, BANK-9] an approval that is undone leaves the account of the approval before it', async () => {
  await coolOff();
  const { surrogate, parent, caseId } = family;
  const { id } = await createDisbursement(
    context,
    caseId,
    { amount_cents: 5, category: 'Other', description: 'x' },
    by(surrogate),
  );
  const accountOf = async () => (await rowOf('disbursement_request', id)).approved_account_id;
  const submitAndApprove = async () => {
    await world.submit(family, id);
    const { version } = await read(id, parent);
    await approveDisbursement(context, id, { version, undoable: true }, by(parent));
  };
  await submitAndApprove();
  const account = await accountOf();
  assert.notEqual(account, null);
  await undoApproval(context, id, by(parent));
  assert.equal(await accountOf(), null);
  await approveDisbursement(context, id, { version: (await read(id, parent)).version }, by(parent));
  await updateDisbursement(context, id, { amount_cents: 6 }, by(surrogate));
  await submitAndApprove();
  await undoApproval(context, id, by(parent));
  assert.equal(await accountOf(), account);
  // Ten seconds are shown, and a slow connection has five more.
  const { version } = await read(id, parent);
  await approveDisbursement(context, id, { version, undoable: true }, by(parent));
  const approvedAt = world.now().getTime();
  world.setNow(new Date(approvedAt + 15_001));
  await assert.rejects(undoApproval(context, id, by(parent)), { code: 'too_late' });
  world.setNow(new Date(approvedAt + 15_000));
  await undoApproval(context, id, by(parent));
});

test('[REQUEST-5, REQUEST-8] a request that is submitted a second time keeps nothing of the first decision', async () => {
  const id = await world.ask(family, 500);
  const since = async () => (await rowOf('disbursement_request', id)).status_since.getTime();
  const begun = await since();
  await updateDisbursement(context, id, { amount_cents: 501 }, by(family.surrogate));
  assert.equal(await since(), begun, 'editing a draft does not change the time since which it is a draft');
  await world.submit(family, id);
  assert.ok((await since()) > begun);
  await world.approve(family, id);
  assert.equal((await read(id)).decision_reason, 'Agreed');
  for (const amount_cents of [502, 503]) await updateDisbursement(context, id, { amount_cents }, by(family.surrogate));
  const draft = await rowOf('disbursement_request', id);
  for (const column of ['submitted_by', 'submitted_at', 'approver_id', 'decided_at', 'decision_reason'])
    assert.equal(draft[column], null, column);
  assert.deepEqual(draft.revised_by.map(Number), [family.surrogate.id], 'each person once');
  await world.submit(family, id);
  const request = await read(id);
  assert.deepEqual([request.decided_at, request.decision_reason, request.approver?.user_id], [null, null, family.parent.id]);
  const version = await world.versionOf(family.parent, id);
  await denyDisbursement(context, id, { version, reason: 'Too much' }, by(family.parent));
  assert.equal((await read(id)).decision_reason, 'Too much');
});

test('[DEPOSIT-2] a rejected entry is shown for fourteen days, to the minute, on its own case only', async () => {
  const refused = (caseId: number, age: string) =>
    pool.query(
      `insert into cash_entry (case_id, kind, amount_cents, memo, recorded_by, status, decided_by, decided_at, decision_reason)
       values ($1, 'deposit', 5, $2::text, $3, 'refused', $4, now() - $2::text::interval, 'Not on the statement')`,
      [caseId, age, root.id, checker.id],
    );
  const ages = ['1 minute', '13 days 23:59:00', '14 days 00:00:01', '15 days'];
  for (const age of ages) await refused(family.caseId, age);
  await refused(neighbor.caseId, '2 minutes');
  await recordCashEntry(db, family.caseId, { kind: 'deposit', amount_cents: 5, memo: 'Waits' }, by(root));
  const shown = async (caseId: number) => (await listCaseCashEntries(db, root, caseId)).map(({ memo }) => memo);
  assert.deepEqual(await shown(family.caseId), ['Waits', '13 days 23:59:00', '1 minute']);
  assert.deepEqual(await shown(neighbor.caseId), ['2 minutes']);
});

test('[API-1] lists of batches and payments have each row once, over pages of any size, in each state', async () => {
  await coolOff();
  const cancelled = [await gather([await approved(family, 10)]), await gather([await approved(family, 10)])];
  for (const batch of cancelled) await cancelBatch(db, batch, 'Not needed', ...byAndTime(maker));
  for (const caseId of [family.caseId, neighbor.caseId])
    for (const due_date of ['2026-12-01', '2026-12-01', '2026-11-01'])
      await addScheduledPayment(
        db,
        caseId,
        { category: 'Other', description: '', due_date, amount_cents: 5, payee_id: null },
        by(root),
      );
  const lines = (await listDuePayments(db, root, { limit: 100 })).data;
  await pool.query("update scheduled_payment set status = 'cancelled' where id = any($1)", [[lines[0]?.id, lines[2]?.id]]);
  const walk = async (page: (cursor: string | undefined) => Promise<{ data: { id: number }[]; next_cursor: string | null }>) => {
    const ids: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { data, next_cursor } = await page(cursor);
      ids.push(...data.map(({ id }) => id));
      assert.ok(ids.length <= 500, 'pages that never end');
      cursor = next_cursor;
    }
    return ids;
  };
  const newestFirst = async (condition: string) =>
    (await pool.query(`select id::int from banking_batch where ${condition} order by id desc`)).rows.map(({ id }) => id);
  const due = async (condition: string, order: string) =>
    (
      await pool.query(`select s.id::int from scheduled_payment s where ${condition} order by s.due_date ${order}, s.id ${order}`)
    ).rows.map(({ id }) => id);
  for (const limit of [1, 2, 3]) {
    assert.deepEqual(await walk((cursor) => listBatches(db, { limit, cursor }, world.now())), await newestFirst('true'));
    const some = await walk((cursor) => listBatches(db, { limit, cursor, status: 'cancelled' }, world.now()));
    assert.deepEqual(some, await newestFirst("status = 'cancelled'"));
    assert.ok(some.length >= 2);
    for (const [state, condition, order] of [
      ['open', "s.status = 'planned'", 'asc'],
      ['cancelled', "s.status = 'cancelled'", 'desc'],
    ] as const) {
      const walked = await walk((cursor) => listDuePayments(db, root, { state, limit, cursor }));
      assert.deepEqual(walked, await due(condition, order), `${state}, ${limit} a page`);
      assert.ok(walked.length >= 2);
    }
  }
});

/** Adds administrators who have a part in nothing. */
async function hireAdministrators(names: readonly string[]): Promise<User[]> {
  await pool.query(
    `insert into user_account (email_address, first_name, last_name, user_type, status, admin_role_id)
     select name || '@demo.test', name, 'Hired', 'admin', 'active', root.admin_role_id
       from unnest($1::text[]) name, user_account root where root.id = $2`,
    [names, root.id],
  );
  return Promise.all(names.map((name) => world.person(`${name}@demo.test`, 'admin')));
}

test('[BANK-6, BANK-10, BATCH-3] a person who ever entered an account number takes no step of its payments', async () => {
  const [outsider, ...enterers] = await hireAdministrators(['outsider', 'first', 'second', 'third', 'fourth']);
  assert.ok(outsider);
  const { surrogate, parent } = family;
  const insiders: User[] = [];
  for (const enterer of enterers) {
    insiders.push(enterer);
    const spelling = {
      holder_name: `Sam Doe ${insiders.length}`,
      routing_number: '021000021',
      account_kind: 'checking',
    } as const;
    await setBankAccount(sealing, surrogate.id, { ...spelling, account_number: '33334444' }, world.at(enterer));
    await coolOff();
    /** Requires that no one who entered the number can take a step, and that the others can. */
    const takes = async (what: string, step: (who: User) => Promise<unknown>, ...others: User[]) => {
      for (const [at, insider] of insiders.entries())
        await assert.rejects(step(insider), { code: 'same_person' }, `${what}: entry ${at + 1} of ${insiders.length}`);
      for (const who of [...others, outsider]) await step(who);
    };
    const id = await world.ask(family, 50);
    await world.submit(family, id);
    await db.transaction(async (tx) => {
      const request = await lockDisbursement(tx, parent, id);
      await raiseStop(tx, request, { text: 'Not hers', chain_id: null, by: by(parent), now: world.now() });
    });
    const [stop] = await query<{ id: number }>(db, sql`select id from payment_stop where cleared_at is null`);
    await takes('clear', (who) => clearStop(context, id, { stop_id: stop?.id ?? 0, reason: 'Phoned her' }, by(who)));
    await pool.query('update disbursement_request set approver_id = null where id = $1', [id]);
    await takes('approve', async (who) => {
      const { version, payee_account } = await read(id, who);
      await approveDisbursement(context, id, { version, account_seen: payee_account?.version }, by(who));
    });
    const batch = await gather([id]);
    const seen = () => getBatch(db, batch, world.now());
    const { list_sha256 } = await seen();
    await takes('approve the batch', (who) => approveBatch(db, batch, list_sha256, ...byAndTime(who)));
    await generateFile(sealing, batch, list_sha256, ...byAndTime(maker));
    const sha256 = (await seen()).file_sha256 ?? '';
    await takes('sign', (who) => signFile(db, batch, sha256, ...byAndTime(who)), maker);
    await takes('release', (who) => releaseFile(db, batch, sha256, ...byAndTime(who)));
    await confirmOutcome(db, batch, { outcome: 'accepted', note: 'Phoned', sha256 }, ...byAndTime(outsider));
  }
});

test('[NACHA-4] trace numbers begin with one again when a file could pass the last one, and go on after it', async () => {
  world.setNow('2026-12-07T16:05:00Z');
  await coolOff();
  const LAST = 9_999_999;
  const tracesFrom = async (next: number) => {
    const batch = await gather([await approved(family, 10), await approved(neighbor, 20)]);
    await pool.query('update bank_profile set next_trace_sequence = $1', [next]);
    await world.approveAndGenerate(batch);
    const { rows } = await pool.query(
      `select right(trace_number, 7)::int as trace from banking_batch_entry where batch_id = $1 order by disbursement_id`,
      [batch],
    );
    const [profile] = (await pool.query('select next_trace_sequence from bank_profile')).rows;
    return [...rows.map(({ trace }) => trace), profile.next_trace_sequence];
  };
  // A file has up to four batches, each with an offset after its payments.
  assert.deepEqual(await tracesFrom(LAST - 5), [LAST - 5, LAST - 4, LAST - 3]);
  for (const next of [LAST - 4, LAST]) assert.deepEqual(await tracesFrom(next), [1, 2, 3], String(next));
  await gather([await approved(family, 10)]).then((batch) => world.approveAndGenerate(batch));
  assert.deepEqual((await pool.query('select next_trace_sequence::int as next from bank_profile')).rows, [{ next: 4 }]);
});

test('[NACHA-1, NACHA-4] a file has an offset only while the bank’s details say so, and may use any trace number', async () => {
  world.setNow('2026-12-08T16:05:00Z');
  await coolOff();
  const set = async (balanced: boolean, account: string) => {
    const offset = {
      offset_routing_number: '021000021',
      offset_account_number: account,
      offset_account_kind: 'checking',
    } as const;
    const details = { ...BANK, same_day: false, with_notes: false, balanced, ...offset };
    await setBankProfile(sealing, details, { by: by(root), version: profileVersion(await findBankProfile(db)) });
  };
  const debits = async (...amounts: number[]) => {
    const ids: number[] = [];
    for (const amount of amounts) ids.push(await approved(family, amount));
    const batch = await gather(ids);
    await world.approveAndGenerate(batch);
    const text = (await readBatchFile(db, sealing.encryptionKey, batch)) ?? '';
    return text.split('\n').flatMap((line) => (/^6[23]7/.test(line) ? [Number(line.slice(29, 39))] : []));
  };
  await set(true, '55554444');
  assert.deepEqual(await debits(10, 30), [40]);
  await set(false, '');
  assert.deepEqual(await debits(50), [], 'the details of the offset stay for the next time');
  await set(true, '');
  assert.deepEqual(await debits(60), [60]);

  // One payment in each of the four batches, and their offsets, take the last eight trace numbers.
  await pool.query("update case_benefit set compensation = true where category = 'Allowance'");
  await pool.query("update payee_bank_account set holder_kind = 'company' where user_id = $1", [neighbor.surrogate.id]);
  const ids: number[] = [];
  for (const one of [family, neighbor]) {
    const wish = { amount_cents: 70, category: 'Allowance', description: 'x' };
    const { id } = await createDisbursement(context, one.caseId, wish, by(one.surrogate));
    await world.submit(one, id);
    await world.approve(one, id);
    ids.push(id, await approved(one, 80));
  }
  const batch = await gather(ids);
  await pool.query('update bank_profile set next_trace_sequence = 9999992');
  await world.approveAndGenerate(batch);
  assert.deepEqual((await pool.query('select next_trace_sequence::int as next from bank_profile')).rows, [{ next: 1 }]);
  await set(false, '');
});

test('[BATCH-4, BATCH-10] a file that was made again stays whole, and is signed and released again', async () => {
  world.setNow('2026-12-09T16:05:00Z');
  await coolOff();
  const [kept, other, changed] = [await approved(family, 11), await approved(family, 12), await approved(neighbor, 13)];
  const batch = await gather([kept, other, changed]);
  const first = await world.approveAndGenerate(batch);
  const sign = (sha256: string, who: User) => signFile(db, batch, sha256, ...byAndTime(who));
  for (const signer of [checker, root]) await sign(first, signer);
  await assert.rejects(sign(first, viewer), { code: 'already_signed' }, 'two are enough');
  await releaseFile(db, batch, first, ...byAndTime(checker));
  const outcome = { outcome: 'refused', note: 'Phoned', sha256: first } as const;
  await confirmOutcome(db, batch, outcome, ...byAndTime(checker));
  await world.giveAccount(neighbor, '66667777');
  const { list_sha256: sha256 } = await getBatch(db, batch, world.now());
  await unblockBatch(sealing, batch, { sha256, disbursement_ids: [changed] }, ...byAndTime(maker));
  const again = await getBatch(db, batch, world.now());
  assert.notEqual(again.file_sha256, first);
  assert.deepEqual([again.status, again.signatures, again.handed_out_by], ['draft', 0, null]);
  assert.equal((await rowOf('banking_batch', batch)).approved_by, null);
  assert.deepEqual(
    again.earlier_signers.map(({ user_id }) => user_id),
    [checker.id, root.id],
    'in the order in which they signed',
  );
  await assert.rejects(removeFromBatch(db, batch, kept, ...byAndTime(maker)), { code: 'has_file' });
  await world.giveAccount(family, '77778888');
  const listed = (await getBatch(db, batch, world.now())).entries.flatMap((entry) =>
    entry.released_at === null ? [entry.disbursement_id] : [],
  );
  assert.deepEqual(listed, [kept, other], 'a payment that cannot be made blocks the file and stays in it');

  // The stored file is compared with its hash when it is read.
  const text = (await readBatchFile(db, sealing.encryptionKey, batch)) ?? '';
  const store = (file: string) =>
    pool.query('update banking_batch set file = $2 where id = $1', [batch, sealFile(sealing.encryptionKey, batch, file)]);
  await store(text.replace('0000000011', '0000000019'));
  await assert.rejects(readBatchFile(db, sealing.encryptionKey, batch), /is not the one that was made/);
  await store(text);
  assert.equal(await readBatchFile(db, sealing.encryptionKey, batch), text);
  await cancelBatch(db, batch, 'Not needed', ...byAndTime(maker));
});

test('[RETURN-4, WHERE-3] a return about an account moves the payee’s other payments, with one notice for a file', async () => {
  world.setNow('2026-12-10T16:05:00Z');
  const noticesOf = async (work: () => Promise<void>) => {
    const text = `select j.id, j.payload -> 'moves' as moves from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'mail_moved_dates' order by j.id`;
    const before = new Set((await pool.query(text)).rows.map(({ id }) => id));
    await work();
    return (await pool.query(text)).rows.filter(({ id }) => !before.has(id)).map(({ moves }) => moves);
  };
  for (const payees of [[family], [family, neighbor]]) {
    await coolOff();
    const [paid, waiting]: [number[], number[]] = [[], []];
    for (const payee of payees) {
      paid.push(await approved(payee, 21));
      waiting.push(await approved(payee, 22));
    }
    const batch = await gather(paid);
    await transmit(batch);
    await settle(batch);
    const returns = paid.map((id) => ({ id, cents: 21 }));
    const notices = await noticesOf(() => returnPayments(returns, 'R02'));
    assert.equal(notices.length, 1);
    const moved = notices[0].filter(({ disbursement_id }: { disbursement_id: number }) => waiting.includes(disbursement_id));
    assert.deepEqual(
      moved.map(({ disbursement_id, to, because }: Record<string, unknown>) => [disbursement_id, to, because]),
      waiting.map((id) => [id, null, 'stopped']),
    );
  }
  await coolOff();
});
