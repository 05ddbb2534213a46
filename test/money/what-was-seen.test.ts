import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import {
  approveBatch,
  BATCH_STATUSES,
  cancelBatch,
  confirmReturnFile,
  findBankAccount,
  findBankProfile,
  generateFile,
  getBatch,
  getCaseProjection,
  getReturnFile,
  issueProof,
  listPaidRequests,
  listReadyRequests,
  listReturnFiles,
  listWaitingBatches,
  profileVersion,
  refuseReturnFile,
  removeFromBatch,
  setBankAccount,
  setBankProfile,
  uploadReturnFile,
} from '@case-platform/modules/banking';
import { addScheduledPayment, CASE_STATUSES } from '@case-platform/modules/cases';
import {
  addBenefit,
  approveDisbursement,
  changeBenefit,
  createDisbursement,
  DISBURSEMENT_STATUSES,
  findIncomingMoney,
  getDisbursement,
  listBenefits,
  listDisbursements,
  listHomeRequests,
  listTimelines,
  mailStoppedPayments,
  namePayments,
  removeBenefit,
  removeReceipt,
  setBenefits,
  submitDisbursement,
  updateDisbursement,
} from '@case-platform/modules/disbursements';
import { confirmCashEntry, listWaitingCashEntries, recordCashEntry } from '@case-platform/modules/ledger';
import { BENEFITS_MAX } from '@case-platform/words/limits';
import { findUnusual } from '../../modules/banking/batches/unusual-payments.ts';
import { lockDisbursement } from '../../modules/disbursements/lock-disbursement.ts';
import { raiseStop } from '../../modules/disbursements/payment-stop/payment-stop.ts';
import { BANK } from '../admin/batches/batches-desk.ts';
import { returnFile } from '../support/return-file.ts';
import { undone } from '../support/undone.ts';
import { openTwoFamilies } from './two-families.ts';

/** These tests look a second time, at another account, another list, another file with the same name, or on another day. */

const world = await openTwoFamilies();
const { db, pool, context, sealing, by, at, byAndTime, family, neighbor, approved, gather } = world;
const { root, checker, maker } = world.staff;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const coolOff = () => pool.query('update payee_bank_account set usable_from = created_at, flag_code = null, flagged_at = null');

test('[BANK-1] another value in any field makes another account, used 48 hours later, and the same values change nothing', async () => {
  const { surrogate } = family;
  const first = {
    holder_name: 'Sam Doe',
    routing_number: '021000021',
    account_kind: 'checking',
    account_number: '1111',
  };
  const account = { ...first, account_kind: 'checking' as const };
  const set = (change: Partial<typeof account> | { account_kind: 'savings' } = {}) =>
    setBankAccount(sealing, surrogate.id, { ...account, ...change }, at(surrogate));
  let before = await set();
  const after48Hours = world.now().getTime() + 48 * HOUR_MS;
  for (const change of [
    { holder_name: 'Sam Roe' },
    { routing_number: '091000019' },
    { account_kind: 'savings' as const },
    { account_number: '1112' },
  ]) {
    const changed = await set(change);
    assert.notEqual(changed.id, before.id, JSON.stringify(change));
    assert.equal(changed.usable_from.getTime(), after48Hours);
    assert.equal((await set(change)).id, changed.id, 'the same values again');
    before = await set();
    assert.notEqual(before.id, changed.id, 'going back makes another account, too');
  }
  assert.equal((await findBankAccount(db, surrogate.id))?.id, before.id);
});

test('[ADDRESS-5] an account that is set in the first week of a new address waits for the end of that week', async () => {
  const { surrogate } = neighbor;
  const moved = (ago: number) =>
    pool.query(
      `with gone as (delete from address_change where user_id = $1)
       insert into address_change (user_id, old_address, new_address, token_hash, requested_by, requested_at, expires_at, confirmed_at)
       values ($1, 'old@demo.test', 'new@demo.test', sha256($2::text::bytea), $1, $3, $3, $3)`,
      [surrogate.id, String(ago), new Date(world.now().getTime() - ago)],
    );
  let number = 4000;
  const waits = async () => {
    number += 1;
    const { usable_from } = await world.giveAccount(neighbor, String(number));
    return (usable_from.getTime() - world.now().getTime()) / HOUR_MS;
  };
  assert.equal(await waits(), 48);
  await moved(DAY_MS);
  assert.equal(await waits(), 6 * 24, 'six more days');
  await moved(5 * DAY_MS + HOUR_MS);
  assert.equal(await waits(), 48, 'less than two days of the week are left');
  await moved(5 * DAY_MS - HOUR_MS);
  assert.equal(await waits(), 49);
  await pool.query('delete from address_change where user_id = $1', [surrogate.id]);
});

test('[BATCH-4, PERSON-6] the hash of a batch’s list changes with everything in the list', async () => {
  await coolOff();
  const batch = await gather([await approved(family, 10), await approved(family, 20)]);
  const sha256 = async () => (await getBatch(db, batch, new Date())).list_sha256;
  const seen = await sha256();
  const [other] = (await pool.query('select min(id) as id from payee_bank_account where user_id <> $1', [family.surrogate.id]))
    .rows;
  const [{ entry }] = (await pool.query('select min(id) as entry from banking_batch_entry where batch_id = $1', [batch])).rows;
  for (const [change, back] of [
    ['amount_cents = amount_cents + 1', 'amount_cents = amount_cents - 1'],
    [
      `bank_account_id = ${other.id}`,
      `bank_account_id = (select max(id) from payee_bank_account where user_id = ${family.surrogate.id})`,
    ],
    ['released_at = now()', 'released_at = null'],
    ["returned_at = now(), return_code = 'R01'", 'returned_at = null, return_code = null'],
  ] as const) {
    await pool.query(`update banking_batch_entry set ${change} where id = $1`, [entry]);
    assert.notEqual(await sha256(), seen, change);
    await pool.query(`update banking_batch_entry set ${back} where id = $1`, [entry]);
    assert.equal(await sha256(), seen, back);
  }
  await pool.query('update banking_batch set same_day = true where id = $1', [batch]);
  assert.notEqual(await sha256(), seen);
});

/** Changes of two earlier payments of the same person and category. After some of them, a larger amount is unusual. */
const EARLIER: [what: string, change: string, isUnusual: boolean][] = [
  ['two payments', 'amount_cents = 100', true],
  ['two payments whose double is not exceeded', 'amount_cents = 450', false],
  ['only one payment that was made', `status = case id when $1 then 'approved' else status end`, false],
  ['only one payment in the category', `category = case id when $1 then 'Childcare' else category end`, false],
  ['the category in other letters', 'category = upper(category)', true],
  ['one payment a year ago', `paid_at = case id when $1 then paid_at - interval '1 year' else paid_at end`, false],
  ['two payments almost a year ago', `paid_at = paid_at - interval '1 year' + interval '1 minute'`, true],
];

test('[BATCH-11] an amount is unusual beside at least two payments of the last year to the same person in the category', async () => {
  await coolOff();
  const ids = [await approved(family, 100), await approved(family, 100)];
  const other = await approved(neighbor, 100);
  const batch = await gather([await approved(family, 900)]);
  const now = world.now();
  const undo = new Error('undo');
  const isAboveUsual = async (change: string, paid: readonly number[]) => {
    let kinds: string[] = [];
    const work = db.transaction(async (tx) => {
      const values = [now, paid];
      await tx.query({ text: `update disbursement_request set status = 'paid', paid_at = $1 where id = any($2)`, values });
      const text = `update disbursement_request set ${change} where id = any($2) and $1::bigint is not null`;
      await tx.query({ text, values: [paid[0] ?? 0, paid] });
      kinds = [...(await findUnusual(tx, batch, now)).values()].flat().map(({ kind }) => kind);
      throw undo;
    });
    await assert.rejects(work, undo);
    return kinds.includes('above_usual');
  };
  for (const [what, change, isUnusual] of EARLIER) assert.equal(await isAboveUsual(change, ids), isUnusual, what);
  assert.equal(await isAboveUsual('amount_cents = 100', [...ids.slice(1), other]), false, 'one of them to another person');
});

test('[BATCH-11] an equal amount to the same person is pointed out while it is on its way and for three weeks, and a first payment until the bank has one', async () => {
  await coolOff();
  const [earlier, other] = [await approved(family, 9100), await approved(neighbor, 9100)];
  const sent = await gather([await approved(family, 1)]);
  await world.transmit(sent);
  const batch = await gather([await approved(family, 9100)]);
  const now = world.now();
  const kindsAfter = async (...changes: string[]) => {
    let kinds: string[] = [];
    const undo = new Error('undo');
    const work = db.transaction(async (tx) => {
      await tx.query({
        text: 'update disbursement_request set amount_cents = id where id <> all($1)',
        values: [[earlier, other]],
      });
      for (const change of changes) await tx.query({ text: change, values: [] });
      kinds = [...(await findUnusual(tx, batch, now)).values()].flat().map(({ kind }) => kind);
      throw undo;
    });
    await assert.rejects(work, undo);
    return kinds;
  };
  const isAlike = async (status: string, paidAgo = '0') => {
    const paid_at = new Date(now.getTime()).toISOString();
    const change = `update disbursement_request set status = '${status}', paid_at = '${paid_at}'::timestamptz - interval '${paidAgo}',
      returned_at = now(), return_code = 'R01', end_reason = 'x', decision_reason = 'x' where id = ${earlier}`;
    return (await kindsAfter(change)).includes('alike');
  };
  for (const status of DISBURSEMENT_STATUSES)
    assert.equal(await isAlike(status), ['approved', 'batched', 'paid'].includes(status), status);
  assert.deepEqual([await isAlike('paid', '21 days'), await isAlike('paid', '20 days 23:59:59')], [false, true]);
  const move = `update disbursement_request set payee_id = ${neighbor.surrogate.id} where id = ${earlier}`;
  assert.equal((await kindsAfter(move)).includes('alike'), false, 'only to another person');

  const isFirst = async (status: string, ...more: string[]) => {
    const others = `update banking_batch_entry set released_at = now() where batch_id not in (${sent}, ${batch}) and released_at is null`;
    return (await kindsAfter(others, `update banking_batch set status = '${status}' where id = ${sent}`, ...more)).includes(
      'first_payment',
    );
  };
  for (const status of BATCH_STATUSES) assert.equal(await isFirst(status), !['transmitted', 'settled'].includes(status), status);
  const entry = `update banking_batch_entry set returned_at = now(), return_code = 'R01' where batch_id = ${sent}`;
  assert.equal(await isFirst('settled', entry), true, 'the payment came back');
  await world.settle(sent);
});

test('[BATCH-6] payments can be taken out of a batch until one is left, and their requests wait for the next batch in order', async () => {
  await coolOff();
  const ids = [await approved(family, 1), await approved(neighbor, 2), await approved(family, 3)];
  const batch = await gather(ids);
  const remove = (id: number | undefined) => removeFromBatch(db, batch, id ?? 0, ...byAndTime(maker));
  for (const id of [ids[2], ids[0]]) await remove(id);
  await assert.rejects(remove(ids[1]), { code: 'last_entry' });
  const ready = (await listReadyRequests(db, maker, world.now())).filter(({ id }) => ids.includes(id));
  assert.deepEqual(
    ready.map(({ id }) => id),
    [ids[0], ids[2]],
  );

  // Someone who entered the account of a payment that was taken out may decide about the rest.
  const enters = (who: User) =>
    pool.query('update payee_bank_account set created_by = $2 where user_id = $1', [family.surrogate.id, who.id]);
  await enters(checker);
  const { list_sha256 } = await getBatch(db, batch, world.now());
  await approveBatch(db, batch, list_sha256, ...byAndTime(checker));
  await enters(family.surrogate);
  await cancelBatch(db, batch, 'Not needed', ...byAndTime(maker));
});

test('[DEPOSIT-4] a deposit that two people agreed on is posted under the one who recorded it', async () => {
  const id = await recordCashEntry(db, family.caseId, { kind: 'deposit', amount_cents: 7, memo: 'In' }, by(root));
  const entry = (await listWaitingCashEntries(db, checker, 100)).find((one) => one.id === id);
  assert.ok(entry);
  await assert.rejects(confirmCashEntry(db, { ...entry, case_id: neighbor.caseId }, by(checker)), { status: 404 });
  await confirmCashEntry(db, entry, by(checker));
  const { rows } = await pool.query('select created_by::int from ledger_transaction where cash_entry_id = $1', [id]);
  assert.deepEqual(rows, [{ created_by: root.id }]);
});

test('[BANK-8, REQUEST-8] an approval for one payee’s account says nothing about the account of another payee', async () => {
  await coolOff();
  const { parent, parent2, surrogate, caseId } = family;
  const account = {
    holder_name: 'Sam Doe',
    routing_number: '021000021',
    account_kind: 'checking',
    account_number: '5005',
  } as const;
  await setBankAccount(sealing, parent2.id, account, at(parent2));
  const payeeOf = ({ id: user_id, user_type }: User) => ({ user_type, user_id });
  const wish = { amount_cents: 5, category: 'Travel', description: 'Train', payee: payeeOf(surrogate) };
  const { id } = await createDisbursement(context, caseId, wish, by(surrogate));
  await world.submit(family, id);
  await world.approve(family, id);
  await updateDisbursement(context, id, { payee: payeeOf(parent2) }, by(root));
  await submitDisbursement(context, id, by(root));
  const { version, payee_account } = await getDisbursement(db, parent, id, world.now());
  assert.equal(payee_account?.changed_since_approval, false);
  await approveDisbursement(context, id, { version }, by(parent));
});

test('[HOME-1] staff find the requests that they wrote at home, whether anyone in particular decides about them or not', async () => {
  const { surrogate, parent, caseId } = family;
  const payee = { user_type: surrogate.user_type, user_id: surrogate.id };
  const wish = { amount_cents: 5, category: 'Travel', description: 'Train', payee };
  const { id } = await createDisbursement(context, caseId, wish, by(root));
  await submitDisbursement(context, id, by(root));
  const isAtHome = async () => (await listHomeRequests(db, root, world.now())).requests.some((request) => request.id === id);
  for (const approver of [parent.id, null]) {
    await pool.query('update disbursement_request set approver_id = $2 where id = $1', [id, approver]);
    assert.equal(await isAtHome(), true, String(approver));
  }
});

test('[BATCH-2] a batch has each request once, and a blocked one waits for its maker in each of its states', async () => {
  await coolOff();
  const id = await approved(family, 10);
  const batch = await gather([id, id]);
  assert.deepEqual(
    (await getBatch(db, batch, world.now())).entries.map((entry) => entry.disbursement_id),
    [id],
  );
  const rights = { approves: true, signs: true, limit: 100, now: world.now() };
  const waitsFor = async (who: User) => (await listWaitingBatches(db, who.id, rights)).some((one) => one.id === batch);
  const seen = async () => (await getBatch(db, batch, world.now())).list_sha256;
  const steps: [step: () => Promise<unknown>, waitsForSecond: boolean][] = [
    [async () => {}, true],
    [async () => approveBatch(db, batch, await seen(), ...byAndTime(checker)), false],
    [async () => generateFile(sealing, batch, await seen(), ...byAndTime(maker)), true],
  ];
  for (const [step, waitsForSecond] of steps) {
    await step();
    assert.equal(await waitsFor(checker), waitsForSecond);
    await pool.query("update payee_bank_account set flag_code = 'R02', flagged_at = now() where user_id = $1", [
      family.surrogate.id,
    ]);
    assert.deepEqual([await waitsFor(maker), await waitsFor(checker)], [true, true], 'blocked');
    await coolOff();
  }
  const later = await gather([await approved(neighbor, 10)]);
  const waiting = await listWaitingBatches(db, checker.id, rights);
  assert.ok(waiting.length > 1 && waiting.at(-1)?.id === later);
  const firstOnly = await listWaitingBatches(db, checker.id, { ...rights, limit: 1 });
  assert.deepEqual(firstOnly, waiting.slice(0, 1), 'the one that has waited longest');
  await cancelBatch(db, later, 'Not needed', ...byAndTime(maker));
  // Someone who entered an account that the batch pays does not sign it.
  await pool.query('update payee_bank_account set created_by = $2 where user_id = $1', [family.surrogate.id, checker.id]);
  assert.deepEqual([await waitsFor(checker), await waitsFor(root)], [false, true]);
  await pool.query('update payee_bank_account set created_by = user_id where user_id = $1', [family.surrogate.id]);
  await cancelBatch(db, batch, 'Not needed', ...byAndTime(maker));
});

test('[BATCH-6] a batch that loses a payment to a changed account needs approval again', async () => {
  await coolOff();
  const batch = await gather([await approved(family, 10), await approved(neighbor, 20)]);
  const approve = async () => approveBatch(db, batch, (await getBatch(db, batch, new Date())).list_sha256, ...byAndTime(checker));
  const stateOf = async () =>
    (await pool.query('select status, approved_by::int from banking_batch where id = $1', [batch])).rows[0];
  await approve();
  assert.deepEqual(await stateOf(), { status: 'approved', approved_by: checker.id });
  await world.giveAccount(family, '7001');
  assert.deepEqual(await stateOf(), { status: 'draft', approved_by: null });
  const { entries, entry_count, total_cents } = await getBatch(db, batch, new Date());
  assert.deepEqual([entry_count, total_cents, entries.length], [1, 20, 2]);
  await approve();
  assert.deepEqual(await stateOf(), { status: 'approved', approved_by: checker.id });
});

test('[RETURN-2] a refused return file can be uploaded again, a waiting or applied one cannot, and waiting ones come first', async () => {
  const take = (trace: string) =>
    uploadReturnFile(sealing, { filename: `${trace}.ach`, text: returnFile([{ code: 'R01', trace, cents: 1 }]) }, by(root));
  const seen = async (id: number) => ({ id, version: (await getReturnFile(sealing, checker, id)).version ?? '' });
  const [one, other] = ['091000017000001', '091000017000002'] as const;
  const first = await take(one);
  await assert.rejects(take(one), { code: 'already_waiting' });
  await refuseReturnFile(sealing, { ...(await seen(first)), reason: 'Another bank’s' }, by(checker));
  const again = await take(one);
  const later = await take(other);
  await confirmReturnFile(sealing, await seen(later), ...byAndTime(checker));
  await assert.rejects(take(other), { code: 'already_applied' });
  const listed = (await listReturnFiles(db, root)).map(({ id, status }) => [id, status]);
  assert.deepEqual(listed, [
    [again, 'waiting'],
    [later, 'applied'],
    [first, 'refused'],
  ]);
  const { rows } = await pool.query('select id::int, content is null as is_gone from bank_return_file order by id');
  assert.deepEqual(
    rows.map(({ id, is_gone }) => [id, is_gone]),
    [
      [first, true],
      [again, false],
      [later, true],
    ],
  );
});

test('[CASE-7] the projection of an ended case has no planned payments, and that of any other case does', async () => {
  for (const status of CASE_STATUSES) {
    const [made] = await query<{ id: number }>(
      db,
      sql`with made as (insert into case_file (name, status) values ('Projection', ${status}) returning id)
          insert into scheduled_payment (case_id, category, due_date, amount_cents) select id, 'Rent', ${'2026-12-31'}, 70 from made
          returning case_id as id`,
    );
    const { data, shortfall } = await getCaseProjection(db, root, made?.id ?? 0, { months: 2, now: world.now() });
    const isOver = status === 'closed' || status === 'cancelled';
    const planned = data.map(({ month, planned_cents }) => `${month} ${planned_cents}`);
    assert.deepEqual(planned, ['2026-11 0', `2026-12 ${isOver ? 0 : 70}`], status);
    assert.equal(shortfall?.missing_cents ?? 0, isOver ? 0 : 70, status);
  }
});

test('[IDEMPOTENCY-2] a key that was used once is rejected for another case, amount, or note', async () => {
  const money = { kind: 'deposit', amount_cents: 5, memo: 'In', idempotencyKey: 'cash-1' } as const;
  const record = (caseId: number, change: object = {}) => recordCashEntry(db, caseId, { ...money, ...change }, by(root));
  const id = await record(family.caseId);
  assert.equal(await record(family.caseId), id);
  for (const change of [{ amount_cents: 6 }, { memo: 'Other' }, { kind: 'refund', amount_cents: 5 }])
    await assert.rejects(record(family.caseId, change), { status: 422 }, JSON.stringify(change));
  await assert.rejects(record(neighbor.caseId), { status: 422 });
  const wish = { amount_cents: 5, category: 'Travel', description: 'Train', idempotencyKey: 'request-1' };
  const payee = { user_type: 'surrogate' as const, user_id: family.surrogate.id };
  const ask = (caseId: number, change: object = {}) =>
    createDisbursement(context, caseId, { ...wish, payee, ...change }, by(root));
  const made = await ask(family.caseId);
  assert.deepEqual(await ask(family.caseId), made);
  for (const change of [{ amount_cents: 6 }, { category: 'Other' }, { description: 'Bus' }])
    await assert.rejects(ask(family.caseId, change), { status: 422 }, JSON.stringify(change));
  await assert.rejects(ask(neighbor.caseId), { status: 422 });
  const line = {
    category: 'Other',
    description: 'x',
    due_date: '2027-01-01',
    amount_cents: 5,
    payee_id: null,
    idempotencyKey: 'plan-1',
  };
  const plan = (caseId: number, change: object = {}) => addScheduledPayment(db, caseId, { ...line, ...change }, by(root));
  const planned = await plan(family.caseId);
  assert.deepEqual(await plan(family.caseId), planned);
  for (const change of [{ amount_cents: 6 }, { description: 'y' }, { due_date: '2027-01-02' }, { payee_id: family.surrogate.id }])
    await assert.rejects(plan(family.caseId, change), { status: 422 }, JSON.stringify(change));
  await assert.rejects(plan(neighbor.caseId), { status: 422 });
  const proof = { addressee: 'Clinic', idempotencyKey: 'proof-1' };
  const prove = (caseId: number, change: object = {}) => issueProof(context, caseId, { ...proof, ...change }, by(root));
  const issued = await prove(family.caseId);
  assert.deepEqual(await prove(family.caseId), issued);
  await assert.rejects(prove(family.caseId, { addressee: 'Other clinic' }), { status: 422 });
  await assert.rejects(prove(neighbor.caseId), { status: 422 });
});

test('[PAYABLE-1] a step that several payments stop has the code of their reason, if it is the same, and names each', async () => {
  await coolOff();
  const ids = [await approved(family, 10), await approved(family, 20), await approved(neighbor, 30)];
  const leave = (...left: User[]) =>
    pool.query('update case_participant set left_at = case when user_id = any($1) then now() end', [left.map(({ id }) => id)]);
  const review = (amount: 'now()' | 'null') =>
    pool.query(
      `insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason, cleared_at, cleared_by, clear_reason)
       select payee_id, case_id, id, $2, now(), 'x', ${amount}, case when ${amount} is not null then $2::bigint end,
              case when ${amount} is not null then 'x' end from disbursement_request where id = $1`,
      [ids[2], root.id],
    );
  const refusal = async (only = ids) => {
    const error = await gather(only).then(
      () => assert.fail('it is made'),
      (reason) => reason,
    );
    return [error.status, error.code, error.message.split('can’t be sent:').length - 1];
  };
  await leave(family.surrogate);
  assert.deepEqual(await refusal(), [409, 'payee_left', 2]);
  await review('now()');
  assert.deepEqual(await refusal(), [409, 'payee_left', 2], 'a stop that was cleared');
  await review('null');
  assert.deepEqual(await refusal(), [409, 'payee_not_payable', 3]);
  assert.deepEqual(await refusal(ids.slice(2)), [409, 'under_review', 1]);
  await leave(family.surrogate, neighbor.surrogate);
  assert.deepEqual(await refusal(), [409, 'payee_left', 3]);
  await leave();
  for (let more = 0; more < 9; more += 1) ids.push(await approved(family, 40 + more));
  await leave(family.surrogate, neighbor.surrogate);
  const message = await gather(ids).then(
    () => '',
    (error) => error.message,
  );
  assert.match(message, /\. 2 more payments can’t be sent either\. /);
  await leave();
  await pool.query("update payment_stop set cleared_at = now(), cleared_by = $1, clear_reason = 'x' where cleared_at is null", [
    root.id,
  ]);
});

test('[LIVE-5] open pages of a case hear of its requests and money, and only the writer hears of a draft', async () => {
  const { caseId, surrogate, parent } = family;
  const takeEvents = async () => {
    const { rows } = await pool.query('delete from outbox where event is not null returning event');
    return rows.map(({ event }) => event);
  };
  const hearOf = async (work: () => Promise<unknown>) => {
    await takeEvents();
    await work();
    const changes = (await takeEvents()).filter(({ kind }) => kind === 'case');
    return [...new Set(changes.map(({ case_id, user_id }) => `${case_id} ${user_id ?? 'everyone'}`))];
  };
  const [everyone, writer] = [[`${caseId} everyone`], [`${caseId} ${surrogate.id}`]];
  let id = 0;
  const change = (amount_cents: number) => () => updateDisbursement(context, id, { amount_cents }, by(surrogate));
  const write = async () => {
    id = await world.ask(family, 50);
  };
  assert.deepEqual(await hearOf(write), writer, 'a draft');
  assert.deepEqual(await hearOf(change(51)), writer, 'a change of the draft');
  assert.deepEqual(await hearOf(() => world.submit(family, id)), everyone, 'sent');
  assert.deepEqual(await hearOf(change(52)), everyone, 'a draft again');
  assert.deepEqual(await hearOf(change(53)), writer, 'a change of that draft');
  for (const kind of ['deposit', 'refund'] as const) {
    const entryId = await recordCashEntry(db, caseId, { kind, amount_cents: 7, memo: '' }, by(root));
    const entry = (await listWaitingCashEntries(db, checker, 100)).find((one) => one.id === entryId) ?? assert.fail();
    assert.deepEqual(await hearOf(() => confirmCashEntry(db, entry, by(checker))), everyone, kind);
  }
  const limit = { category: 'Bicycle', period: 'case', cap_cents: 5, note: '', compensation: false } as const;
  for (const set of [
    () => addBenefit(db, caseId, limit, by(root)),
    () => changeBenefit(db, caseId, { ...limit, cap_cents: 6 }, by(root)),
    () => removeBenefit(db, caseId, limit.category, by(root)),
  ])
    assert.deepEqual(await hearOf(set), everyone, 'a contract limit');
  await world.submit(family, id);
  const { rows } = await pool.query(
    `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
       submitted_at, approver_id, decided_at, decision_reason, returned_at, return_code)
     values ($1, 'denied', 5, 'Other', 'x', $2, $2, $2, now(), $3, now(), 'x', now(), 'R01') returning id`,
    [neighbor.caseId, surrogate.id, neighbor.parent.id],
  );
  const elsewhere: string[] = [];
  const move =
    "update disbursement_request set status = $2, decision_reason = 'x', end_reason = 'x', paid_at = now() where id = $1";
  for (const status of DISBURSEMENT_STATUSES) {
    await hearOf(() => pool.query(move, [rows[0].id, status]));
    const stopped = await hearOf(() =>
      db.transaction(async (tx) => {
        const locked = await lockDisbursement(tx, parent, id);
        await raiseStop(tx, locked, { text: 'x', chain_id: null, by: by(parent), now: world.now() });
      }),
    );
    assert.ok(stopped.includes(everyone[0] ?? ''), status);
    if (stopped.includes(`${neighbor.caseId} everyone`)) elsewhere.push(status);
    await pool.query("update payment_stop set cleared_at = now(), cleared_by = $1, clear_reason = 'x' where cleared_at is null", [
      root.id,
    ]);
  }
  assert.deepEqual(
    elsewhere,
    ['submitted', 'approved', 'batched', 'returned'],
    'a stop is news where the payee still waits for money',
  );
  await pool.query('delete from payment_stop');
  await pool.query("update disbursement_request set status = 'denied' where id = $1", [rows[0].id]);
});

test('[CONTRACT-1, AUDIT-1] a change of any one value of a contract limit is stored, with one entry, and the same values change nothing', async () => {
  const { caseId } = family;
  let limit: Parameters<typeof addBenefit>[2] = {
    category: 'Meals',
    period: 'case',
    cap_cents: 5,
    note: '',
    compensation: false,
  };
  await addBenefit(db, caseId, limit, by(root));
  const stored = async () => {
    const { category, period, cap_cents, note, compensation } =
      (await listBenefits(db, caseId, world.now())).find((one) => one.category.toLowerCase() === 'meals') ?? assert.fail();
    return { category, period, cap_cents, note, compensation };
  };
  const countEntries = async () =>
    (await pool.query("select from audit_entry where action = 'case.change_benefit' and case_id = $1", [caseId])).rows.length;
  for (const change of [
    { category: 'MEALS' },
    { period: 'month' as const },
    { cap_cents: 6 },
    { note: 'x' },
    { compensation: true },
  ]) {
    limit = { ...limit, ...change };
    const before = await countEntries();
    for (let times = 0; times < 2; times += 1) await changeBenefit(db, caseId, limit, by(root));
    assert.deepEqual([await stored(), (await countEntries()) - before], [limit, 1], JSON.stringify(change));
  }
  await removeBenefit(db, caseId, 'meals', by(root));

  const limits = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...limit, category: `Limit ${'x'.repeat(at + 1)}` }));
  await undone(db, async (tx) => {
    await assert.rejects(setBenefits(tx, caseId, limits(BENEFITS_MAX + 1), by(root)), { status: 422 });
    await setBenefits(tx, caseId, limits(BENEFITS_MAX), by(root));
  });
});

test('[REQUEST-12] a receipt is removed through its own request only', async () => {
  const [own, other] = [await world.ask(family, 5), await world.ask(family, 6)];
  const { rows } = await pool.query(
    `insert into disbursement_file (disbursement_id, filename, content_type, size, storage_key, uploaded_by)
     values ($1, 'a.png', 'image/png', 1, 'files/a.png', $2) returning id::int`,
    [own, family.surrogate.id],
  );
  const remove = (id: number) => removeReceipt({ db }, { id, fileId: rows[0].id }, by(family.surrogate));
  await assert.rejects(remove(other), { status: 404 });
  await remove(own);
  await assert.rejects(remove(own), { status: 404 });
});

test('[HOME-1] a payment stays on the home page for fourteen days, to the second, the newest first', async () => {
  await pool.query("update disbursement_request set paid_at = '2026-01-01' where status = 'paid'");
  await coolOff();
  const ids: number[] = [];
  for (let made = 0; made < 3; made += 1) ids.push(await approved(family, 10 + made));
  const [oldest = 0, newest = 0, middle = 0] = ids;
  const batch = await gather(ids);
  await world.transmit(batch);
  await world.settle(batch);
  const paidAgo = (id: number, ms: number) =>
    pool.query('update disbursement_request set paid_at = $2 where id = $1', [id, new Date(world.now().getTime() - ms)]);
  await paidAgo(oldest, 14 * DAY_MS - 1000);
  await paidAgo(newest, HOUR_MS);
  await paidAgo(middle, DAY_MS);
  const shown = async () => (await listHomeRequests(db, family.surrogate, world.now())).payments.map(({ id }) => id);
  assert.deepEqual(await shown(), [newest, middle, oldest]);
  const paid = (await listPaidRequests(db, maker, 100)).map(({ id }) => id);
  assert.deepEqual(
    paid.filter((id) => ids.includes(id)),
    [newest, middle, oldest],
    'the payments page has the newest first, too',
  );
  await paidAgo(oldest, 14 * DAY_MS);
  assert.deepEqual(await shown(), [newest, middle]);
  // Payments at the bank come before those that have arrived.
  const next = await gather([await approved(family, 5)]);
  assert.deepEqual(await shown(), [(await getBatch(db, next, new Date())).entries[0]?.disbursement_id, newest, middle]);
  assert.deepEqual(
    (await listHomeRequests(db, neighbor.surrogate, world.now())).payments.filter(({ case_id }) => case_id === family.caseId),
    [],
  );
});

test('[BANK-9] the account before is that of the approval, or else the one right before, of any number of accounts', async () => {
  const { parent, surrogate } = neighbor;
  const account = (last: string) => world.giveAccount(neighbor, `9${last}`);
  await account('0001');
  await coolOff();
  const [seen, id] = [await approved(neighbor, 5), await world.ask(neighbor, 6)];
  await world.submit(neighbor, id);
  for (const last of ['0002', '0003']) await account(last);
  await world.submit(neighbor, seen);
  const shown = async (request: number) => {
    const { payee_account } = await getDisbursement(db, parent, request, world.now());
    return [payee_account?.last_four, payee_account?.previous_last_four, payee_account?.changed_since_approval];
  };
  assert.deepEqual(await shown(id), ['0003', '0002', false]);
  assert.deepEqual(await shown(seen), ['0003', '0001', true]);

  // Someone who left the case before deciding is not asked at home, whatever changed.
  const asked = async () => (await listHomeRequests(db, parent, world.now())).decisions.some((one) => one.id === seen);
  const leave = (moment: string) =>
    pool.query(`update case_participant set left_at = ${moment} where case_id = $1 and user_id = $2`, [
      neighbor.caseId,
      parent.id,
    ]);
  const answers = [await asked()];
  await leave('now()');
  answers.push(await asked());
  await leave('null');
  assert.deepEqual(answers, [true, false]);
  assert.equal((await getDisbursement(db, surrogate, seen, world.now())).payee_account, null);
});

test('[BANK-1, BANK-11] a change of an account is announced with days in the time zone of each reader', async () => {
  const zones = {
    'Pacific/Kiritimati': ['November 26, 2026', 'Nov 24, 2026'],
    'America/New_York': ['November 25, 2026', 'Nov 23, 2026'],
  };
  world.setNow('2026-11-23T16:05:00Z');
  await coolOff();
  await pool.query("update user_account set phone = '+12025550123' where id = $1", [family.surrogate.id]);
  for (const [at, [zone, [usable = '', changed = '']]] of Object.entries(zones).entries()) {
    await pool.query('update user_account set timezone = $2 where id = $1', [family.surrogate.id, zone]);
    await approved(family, 5);
    const text = `select id, payload::text as text from graphile_worker._private_jobs order by id`;
    const before = new Set((await pool.query(text)).rows.map(({ id }) => id));
    await world.giveAccount(family, `8800${at}`);
    const fresh = async () =>
      (await pool.query(text)).rows
        .filter((row) => !before.has(row.id))
        .map((row) => row.text)
        .join('\n');
    assert.ok((await fresh()).includes(`Starting ${usable}, payments to you go to the account ending in 800${at}.`), zone);
    const { rows } = await pool.query(
      `select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'mail_stopped_payments' order by j.id desc limit 1`,
    );
    await mailStoppedPayments({ db, webUrl: '', adminUrl: '' }, rows[0].payload);
    assert.ok((await fresh()).includes(`Your bank account was changed on ${changed}.`), zone);
    await coolOff();
  }
  await pool.query("update user_account set timezone = 'UTC', phone = null where id = $1", [family.surrogate.id]);
});

test('[REQUEST-21] after a change of any one field, a request is found by its new words and not by those before', async () => {
  const { caseId, surrogate } = family;
  const wish = { amount_cents: 77_101, category: 'Shoes', description: 'Heron' };
  await addBenefit(db, caseId, { category: 'Shoes', period: 'case', cap_cents: 9, note: '', compensation: false }, by(root));
  const { id } = await createDisbursement(context, caseId, wish, by(surrogate));
  const finds = async (q: string) =>
    (await listDisbursements(db, surrogate, { q }, world.now())).data.some((one) => one.id === id);
  const words = { amount_cents: '$771.01', category: 'shoes', description: 'heron' };
  for (const [change, next] of [
    [{ amount_cents: 77_202 }, '$772.02'],
    [{ category: 'Travel' }, 'travel'],
    [{ description: 'Plover' }, 'plover'],
  ] as const) {
    const [field] = Object.keys(change) as [keyof typeof words];
    assert.equal(await finds(words[field]), true, words[field]);
    await updateDisbursement(context, id, change, by(surrogate));
    assert.deepEqual([await finds(words[field]), await finds(next)], [false, true], field);
    words[field] = next;
    for (const word of Object.values(words)) assert.equal(await finds(word), true, word);
  }
  const name = async (description: string) => {
    await pool.query('update disbursement_request set description = $2 where id = $1', [id, description]);
    return (await namePayments(db, [id])).get(id);
  };
  const rest = '” ($772.02 to Sarah Lindgren)';
  assert.equal(await name('x'.repeat(60)), `“${'x'.repeat(60)}${rest}`);
  assert.equal(await name('x'.repeat(61)), `“${'x'.repeat(59)}…${rest}`);
  assert.equal(await name('Train\nand a bus'), `“Train${rest}`);
  assert.equal(await name('\nTrain'), `“Travel${rest}`);
});

test('[NACHA-2] each text of the bank’s details has as many characters as its field of a file, and not one more', async () => {
  const widths = { bank_name: 23, immediate_origin: 10, company_name: 16, company_id: 10, entry_description: 10 };
  await undone(db, async (tx) => {
    const offset = { offset_routing_number: '', offset_account_number: '', offset_account_kind: 'checking' } as const;
    const details = { ...BANK, same_day: false, with_notes: false, balanced: false, ...offset };
    const set = async (change: object) =>
      setBankProfile(
        { db: tx, encryptionKey: sealing.encryptionKey },
        { ...details, ...change },
        {
          by: by(root),
          version: profileVersion(await findBankProfile(tx)),
        },
      ).then(
        () => [],
        (error) => error.errors.map((one: { field: string }) => one.field),
      );
    for (const [field, width] of Object.entries(widths)) {
      assert.deepEqual(await set({ [field]: 'A'.repeat(width) }), [], field);
      for (const wrong of ['A'.repeat(width + 1), '', 'é']) assert.deepEqual(await set({ [field]: wrong }), [field], wrong);
    }
    for (const payroll of ['PAYROLL', 'Payroll'])
      assert.deepEqual(await set({ entry_description: payroll }), ['entry_description']);
  });
});

test('[HOME-3, HOME-1] what waits or is on its way is in the order of its way, and of its wait', async () => {
  const { surrogate } = neighbor;
  world.setNow('2026-11-23T16:05:00Z');
  await coolOff();
  const sent = await gather([await approved(neighbor, 31)]);
  await world.transmit(sent);
  const [batched, waits] = [await approved(neighbor, 32), await approved(neighbor, 33)];
  await gather([batched]);
  const submitted = await world.ask(neighbor, 34);
  await world.submit(neighbor, submitted);
  const { parts } = await findIncomingMoney(db, surrogate, world.now());
  assert.deepEqual(
    parts.map(({ state }) => state),
    ['at_the_bank', 'being_sent', 'approved', 'waiting_for_approval'],
  );
  const since = (id: number, day: string) =>
    pool.query('update disbursement_request set status_since = $2 where id = $1', [id, day]);
  await pool.query("update disbursement_request set status_since = '2026-11-20' where payee_id = $1", [surrogate.id]);
  await since(submitted, '2026-11-01');
  await since(batched, '2026-11-02');
  const requests = (await listHomeRequests(db, surrogate, world.now())).requests.map(({ id }) => id);
  assert.deepEqual(requests.slice(0, 2), [submitted, batched], 'the longest wait first');
  assert.ok(requests.indexOf(waits) > 1);
});

test('[REQUEST-15] a timeline has the newest hundred steps, oldest first', async () => {
  const id = await approved(family, 35);
  await pool.query(
    `insert into audit_entry (layer, action, subject_id, case_id, actor_id, after, happened_at)
     select 'api', 'disbursement.add_file', $1, $2, $3, jsonb_build_object('filename', n::text), now() + n * interval '1 second'
       from generate_series(1, 100) n`,
    [id, family.caseId, family.surrogate.id],
  );
  const add = (n: number) =>
    pool.query(
      `insert into audit_entry (layer, action, subject_id, case_id, after, happened_at)
       values ('api', 'disbursement.submit', $1, $2, $3, now() + $4 * interval '1 second')`,
      [id, family.caseId, { n }, n],
    );
  await add(101);
  const steps = (await listTimelines(db, root, [id])).get(id) ?? [];
  assert.deepEqual([steps.at(-1)?.event, steps.some(({ event }) => event === 'approved')], ['submitted', false]);
});
