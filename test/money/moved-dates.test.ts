import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cancelBatch,
  confirmOutcome,
  confirmReturnFile,
  releaseFile,
  removeFromBatch,
  setBankAccount,
  signFile,
} from '@case-platform/modules/banking';
import {
  getDisbursement,
  movePassedDates,
  retryDisbursement,
  submitDisbursement,
  updateDisbursement,
} from '@case-platform/modules/disbursements';
import { openTwoFamilies } from './two-families.ts';

const world = await openTwoFamilies();
const { pool, db, sealing, by, at, byAndTime, ask, submit, approve, approved, gather, setNow, staff, family, context } = world;
const { surrogate, parent } = family;

/** Mornings and an evening in New York. Thursday is Thanksgiving. */
const MONDAY = '2026-11-23T16:05:00Z';
const MONDAY_EVENING = '2026-11-23T23:00:00Z';
const TUESDAY = '2026-11-24T16:05:00Z';
const WEDNESDAY = '2026-11-25T16:05:00Z';

let numbers = 50_000_000;
const change = (resubmits = false) => {
  numbers += 1;
  const account = { holder_name: 'Sam Doe', routing_number: '021000021', account_kind: 'checking' as const };
  return setBankAccount(sealing, surrogate.id, { ...account, account_number: `${numbers}` }, { ...at(surrogate), resubmits });
};
const clearFlags = () =>
  pool.query(
    `update payee_bank_account set created_at = '2026-01-01', usable_from = '2026-01-01', flag_code = null, flagged_at = null
      where user_id = $1`,
    [surrogate.id],
  );
/** Starts a story on Monday with an account that can be used. */
const begin = async () => {
  setNow(MONDAY);
  await clearFlags();
};
const work = (payee_id?: number) => movePassedDates({ db }, payee_id === undefined ? {} : { payee_id }, world.now());
const submitted = async (amount: number) => {
  const id = await ask(family, amount);
  await submit(family, id);
  return id;
};

/** The day of a request as its payee sees it: the day, the earlier one, and the reason. */
const shown = async (id: number): Promise<string> => {
  const { arrives, was, why } = (await getDisbursement(db, surrogate, id, world.now())).whereabouts;
  return [arrives?.date ?? '-', was ?? '-', why ?? '-'].join(' | ');
};
/** The moves of a request that people are notified of, oldest first, after checking that each has one mail and one push. */
const notices = async (id: number): Promise<string[]> => {
  const { rows } = await pool.query(
    `select split_part(k.identifier, '_', 1) as channel, m ->> 'from' as was, m ->> 'to' as day, m ->> 'because' as because
       from graphile_worker._private_jobs j join graphile_worker._private_tasks k on k.id = j.task_id
      cross join lateral json_array_elements(j.payload -> 'moves') m
      where (m ->> 'disbursement_id')::bigint = $1 order by j.id`,
    [id],
  );
  const of = (one: string) =>
    rows.filter(({ channel }) => channel === one).map(({ was, day, because }) => `${was ?? '-'} > ${day ?? '-'} ${because}`);
  assert.deepEqual(of('mail'), of('push'));
  return of('mail');
};
/** The number of notices, each of which is one mail to each person concerned. */
const countNotices = async () =>
  (await pool.query(`select count(*)::int as n from graphile_worker._private_jobs where payload -> 'moves' -> 0 is not null`))
    .rows[0].n / 2;

const NOT_APPROVED = 'It wasn’t approved in time for the earlier day.';

test('[WHERE-3] a request that waits for its approval moves day by day, with one notice, and one for the approval', async () => {
  await begin();
  const id = await submitted(1000);
  assert.equal(await shown(id), '2026-11-24 | - | -');
  setNow(TUESDAY);
  assert.equal(await shown(id), `2026-11-25 | 2026-11-24 | ${NOT_APPROVED}`, 'shown before anyone is notified');
  await Promise.all([work(), work()]);
  await work();
  assert.equal(await shown(id), `2026-11-25 | 2026-11-24 | ${NOT_APPROVED}`);
  setNow(WEDNESDAY);
  await work();
  assert.equal(await shown(id), `2026-11-27 | 2026-11-24 | ${NOT_APPROVED}`, 'the first day that people knew');
  assert.deepEqual(await notices(id), ['2026-11-24 > 2026-11-25 not_approved']);
  await approve(family, id);
  assert.equal(await shown(id), `2026-11-27 | 2026-11-25 | ${NOT_APPROVED}`);
  await work();
  assert.deepEqual(await notices(id), ['2026-11-24 > 2026-11-25 not_approved', '2026-11-25 > 2026-11-27 not_approved']);
});

test('[WHERE-3] however many days have passed at once, each moves', async () => {
  await begin();
  const id = await submitted(1005);
  const { rows } = await pool.query(
    `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
       submitted_at, approver_id, promised_date)
     select case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by, submitted_at, approver_id,
            promised_date from disbursement_request, generate_series(1, 201) where id = $1 returning id`,
    [id],
  );
  const ids = [id, ...rows.map((row) => row.id)];
  setNow(TUESDAY);
  await work(surrogate.id);
  const days = await pool.query('select distinct promised_date::text as day from disbursement_request where id = any($1)', [ids]);
  assert.deepEqual(days.rows, [{ day: '2026-11-25' }]);
  await pool.query("update disbursement_request set status = 'cancelled' where id = any($1)", [ids]);
});

test('[WHERE-3] an approval after the cutoff moves the day once; one before it moves nothing', async () => {
  await begin();
  const [early, late] = [await submitted(1010), await submitted(1011)];
  await approve(family, early);
  setNow(MONDAY_EVENING);
  await approve(family, late);
  await work();
  assert.deepEqual(await notices(late), ['2026-11-24 > 2026-11-25 not_approved']);
  assert.deepEqual(await notices(early), ['2026-11-24 > 2026-11-25 not_sent'], 'no batch contains it by the cutoff');
});

test('[WHERE-3] a new bank account moves the day of what waits for approval; the mail about what it stops says the rest', async () => {
  await begin();
  const [waiting, approvedId, resubmitted] = [await submitted(1020), await approved(family, 1021), await approved(family, 1022)];
  await change();
  const why = 'The payee’s bank account changed, and a new account has to wait before it’s used.';
  assert.equal(await shown(waiting), `2026-11-27 | 2026-11-24 | ${why}`);
  assert.deepEqual(await notices(waiting), ['2026-11-24 > 2026-11-27 account_changed']);
  assert.match(await shown(approvedId), /^- \| - \| The payee’s bank account changed after the approval/);
  await submitDisbursement(context, resubmitted, by(surrogate));
  await approve(family, resubmitted);
  await change(true);
  assert.match(await shown(resubmitted), /^2026-11-27 \| - /, 'it already accounted for 48 hours');
  await work();
  for (const id of [approvedId, resubmitted]) assert.deepEqual(await notices(id), []);
});

test('[WHERE-3] a request that is submitted again for a new account shows its earlier day', async () => {
  await begin();
  const id = await approved(family, 1025);
  await change(true);
  assert.match(await shown(id), /^2026-11-27 \| 2026-11-24 \| The payee’s bank account changed, and/);
  await work();
  assert.deepEqual(await notices(id), [], 'one mail lists everything that the change stopped');
});

test('[WHERE-3] what is taken out of a batch too late moves to the next one', async () => {
  await begin();
  const [same, later, alone] = [await approved(family, 1030), await approved(family, 1031), await approved(family, 1032)];
  const [first, second] = [await gather([same]), await gather([later, alone])];
  await cancelBatch(db, first, 'Wrong', ...byAndTime(staff.maker));
  assert.deepEqual(await notices(same), [], 'it can still go into a batch today');
  setNow(TUESDAY);
  await removeFromBatch(db, second, alone, ...byAndTime(staff.maker));
  assert.deepEqual(await notices(alone), ['2026-11-24 > 2026-11-25 taken_out']);
  await cancelBatch(db, second, 'Wrong', ...byAndTime(staff.maker));
  assert.deepEqual(await notices(later), ['2026-11-24 > 2026-11-25 taken_out']);
  assert.match(await shown(later), /^2026-11-25 \| 2026-11-24 \| It was taken out of a bank transfer/);
});

test('[WHERE-2, WHERE-3] a file that the bank does not get in time moves the day, until someone records that it did', async () => {
  await begin();
  const id = await approved(family, 1040);
  const batch = await gather([id]);
  const sha256 = await world.approveAndGenerate(batch);
  for (const signer of [staff.root, staff.checker]) await signFile(db, batch, sha256, ...byAndTime(signer));
  await releaseFile(db, batch, sha256, ...byAndTime(staff.checker));
  assert.equal(await shown(id), '2026-11-24 | - | -');
  setNow(WEDNESDAY);
  await work();
  assert.equal(await shown(id), '2026-11-27 | 2026-11-24 | The bank didn’t get the file in time.');
  await confirmOutcome(db, batch, { outcome: 'accepted', note: 'Phoned', sha256 }, ...byAndTime(staff.checker));
  assert.equal(await shown(id), '2026-11-24 | - | -');
  await work();
  assert.deepEqual(await notices(id), ['2026-11-24 > 2026-11-27 late_file'], 'the mail that it is on its way names the day');
});

test('[WHERE-3] a missing account passes the day with one notice, and each day that we are late has its own', async () => {
  await begin();
  await pool.query('update payee_bank_account set replaced_at = now() where user_id = $1 and replaced_at is null', [
    surrogate.id,
  ]);
  const without = await approved(family, 1050);
  setNow(TUESDAY);
  await work();
  setNow(WEDNESDAY);
  await work();
  assert.deepEqual(await notices(without), ['2026-11-24 > 2026-11-25 no_account']);
  await change();
  await work();
  assert.deepEqual(await notices(without), ['2026-11-24 > 2026-11-25 no_account', '2026-11-25 > 2026-11-27 not_sent']);
  await begin();
  const unsent = await approved(family, 1051);
  for (const day of [TUESDAY, WEDNESDAY]) {
    setNow(day);
    await work();
  }
  assert.deepEqual(await notices(unsent), ['2026-11-24 > 2026-11-25 not_sent', '2026-11-25 > 2026-11-27 not_sent']);
});

test('[WHERE-3] a payment that cannot be made for now has no day, and gets one when it can be', async () => {
  await begin();
  const id = await approved(family, 1060);
  const flag = (code: string | null) =>
    pool.query(
      `update payee_bank_account set flag_code = $2::text, flagged_at = case when $2::text is null then null else now() end
        where user_id = $1 and replaced_at is null`,
      [surrogate.id, code],
    );
  await flag('R02');
  assert.match(await shown(id), /^- \| 2026-11-24 \| .* needs to add another bank account/);
  await work();
  assert.match(await shown(id), /^- \| 2026-11-24 \| .* needs to add another bank account/);
  await flag(null);
  await work();
  assert.equal(await shown(id), '2026-11-24 | - | -', 'the day is what it was');
  assert.deepEqual(await notices(id), ['2026-11-24 > - stopped', '2026-11-24 > 2026-11-24 resumed']);
});

test('[WHERE-3] a stop moves the days of all payments to the payee in one notice, and clearing it in another one', async () => {
  await begin();
  const ids = [await approved(family, 1061), await approved(family, 1062), await submitted(1063)];
  await work();
  const before = await countNotices();
  const stop = (at: string) =>
    pool.query(`update payment_stop set cleared_at = ${at}, cleared_by = raised_by, clear_reason = 'Known'`);
  await pool.query(
    `insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason) values ($1, $2, $3, $4, now(), 'Odd')`,
    [surrogate.id, family.caseId, ids[0], parent.id],
  );
  await stop('now()');
  await work(surrogate.id);
  assert.equal(await countNotices(), before, 'cleared before anyone was notified: no day moved');
  await pool.query('update payment_stop set cleared_at = null, cleared_by = null, clear_reason = null');
  await Promise.all([work(surrogate.id), work(surrogate.id)]);
  assert.equal(await countNotices(), before + 1);
  await stop('now()');
  await work(parent.id);
  assert.equal(await countNotices(), before + 1, 'only the payee of the stop');
  await work(surrogate.id);
  assert.equal(await countNotices(), before + 2);
  for (const id of ids) assert.deepEqual(await notices(id), ['2026-11-24 > - stopped', '2026-11-24 > 2026-11-24 resumed']);
});

test('[WHERE-3, BANK-11] a change of an account sends each person one notice, also about days that moved', async () => {
  await begin();
  const [stopped, waiting] = [await approved(family, 1064), await submitted(1065)];
  await work();
  const before = await countNotices();
  await change();
  assert.equal(await countNotices(), before + 1);
  assert.deepEqual([await notices(stopped), await notices(waiting)], [[], ['2026-11-24 > 2026-11-27 account_changed']]);
});

test('[WHERE-3] two approvals and a check at once notify of one move', async () => {
  for (let round = 0; round < 5; round += 1) {
    await begin();
    const id = await submitted(1070 + round);
    setNow(TUESDAY);
    await Promise.allSettled([work(), approve(family, id), work(), approve(family, id)]);
    await work();
    assert.equal((await notices(id)).length, 1);
  }
});

test('[WHERE-3] a request that its maker changes and submits again has a new day that did not move', async () => {
  await begin();
  const id = await submitted(1080);
  setNow(TUESDAY);
  await updateDisbursement(context, id, { amount_cents: 1081 }, by(surrogate));
  await submit(family, id);
  assert.equal(await shown(id), '2026-11-25 | - | -');
  await work();
  assert.deepEqual(await notices(id), []);
  assert.equal((await getDisbursement(db, parent, id, world.now())).whereabouts.was, null);
});

/** Each way to begin again on Wednesday with a request that was approved on Monday for Tuesday. */
const SECOND_TIMES: [way: string, again: (id: number) => Promise<unknown>][] = [
  [
    'paid again after a return',
    async (id) => {
      const batch = await gather([id]);
      await world.transmit(batch);
      await world.settle(batch);
      setNow(TUESDAY);
      await confirmReturnFile(sealing, await world.takeBack([{ id, cents: 1090 }], 'R01'), ...byAndTime(staff.checker));
      setNow(WEDNESDAY);
      await clearFlags();
      await retryDisbursement(context, id, { reason: 'There is money now' }, by(staff.root));
    },
  ],
  [
    'changed after its day moved, and submitted and approved again',
    async (id) => {
      setNow(TUESDAY);
      await work();
      assert.match(await shown(id), /^2026-11-25 \| 2026-11-24 /);
      setNow(WEDNESDAY);
      await updateDisbursement(context, id, { amount_cents: 1091 }, by(surrogate));
      await submit(family, id);
      await approve(family, id);
    },
  ],
];

for (const [way, again] of SECOND_TIMES)
  test(`[WHERE-3, RETRY-1, REQUEST-8] a request that is ${way} has the dates of one that is new, and no day moved`, async () => {
    await begin();
    const id = await approved(family, 1090);
    await again(id);
    const before = await notices(id);
    const fresh = await approved(family, 1090);
    const rowOf = async (one: number) => {
      const { rows } = await pool.query(
        'select promised_date::text, promised_before::text, moved_because, bank_date, paid_at from disbursement_request where id = $1',
        [one],
      );
      return rows[0];
    };
    assert.deepEqual(await rowOf(id), await rowOf(fresh));
    assert.deepEqual([await shown(id), await shown(fresh)], ['2026-11-27 | - | -', '2026-11-27 | - | -']);
    await work();
    assert.deepEqual([await notices(id), await notices(fresh)], [before, []]);
  });
