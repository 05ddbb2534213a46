import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from '@case-platform/lib/database';
import type { SqlParameter } from '@case-platform/lib/sql';
import {
  listStoppedByAccountChange,
  mailDisbursement,
  mailMovedDates,
  mailPaymentStop,
  mailStoppedPayments,
  pushDisbursement,
  pushMovedDates,
  pushPaymentStop,
  pushStoppedPayments,
} from '@case-platform/modules/disbursements';
import { createTestDatabase } from '../support/database.ts';
import { undone } from '../support/undone.ts';
import { NOW, seedTwins } from './seed-twins.ts';

/** A notice about payments reaches the people with a part in one of them, by mail and push, as long as they may know (NOTIFY-9). */

const { db } = await createTestDatabase();
const { id, crowd } = await db.transaction(seedTwins);
const URLS = { webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };
const idOf = (name: string) => id('user_account', name);

interface Parts {
  maker: string;
  submitter: string;
  payee: string;
  approver: string;
}

const PARTS = {
  'people on the case': { maker: 'cm in', submitter: 'surrogate in', payee: 'ip in', approver: 'judge in' },
  'people who left': { maker: 'ip in', submitter: 'surrogate left', payee: 'ip left', approver: 'cm left' },
  'people without an account': { maker: 'ip in', submitter: 'surrogate closed', payee: 'ip closed', approver: 'ip invited' },
  'people of another case': { maker: 'ip in', submitter: 'ip other', payee: 'surrogate other', approver: 'judge other' },
} satisfies Record<string, Parts>;

const addRow = (tx: Transaction, text: string, values: SqlParameter[]): Promise<number> =>
  tx.query({ text: `${text} returning id`, values }).then(({ rows }) => Number((rows[0] as { id: number }).id));

const addRequest = (tx: Transaction, status: string, { maker, submitter, payee, approver }: Parts) =>
  addRow(
    tx,
    `insert into disbursement_request (case_id, status, amount_cents, category, description, created_by, submitted_by, payee_id,
       approver_id, submitted_at, decided_at, decision_reason, paid_at, returned_at, return_code, end_reason)
     values ($1, $2, 1234, 'Travel', 'Train', $3, $4, $5, $6, $7, $7, 'x', $7, $7, 'R02', 'x')`,
    [id('case_file', 'Crowd'), status, idOf(maker), idOf(submitter), idOf(payee), idOf(approver), NOW],
  );

/** Lists who gets what of the work, such as `ip in: email and push`. */
function listNotified(work: (tx: Transaction) => Promise<unknown>): Promise<string[]> {
  return undone(db, async (tx) => {
    await work(tx);
    const { rows } = await tx.query({
      text: `select u.first_name || ' ' || u.last_name || ': ' || string_agg(n.way, ' and ' order by n.way) as line from (
               select user_id, 'email' as way from delivery where delivery_key ~ '^(pay|disbursement:)' union all
               select (r ->> 'user_id')::bigint, 'push' from graphile_worker._private_jobs j
                 join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'post_platform_push',
                      json_array_elements(j.payload -> 'recipients') r) n
               join user_account u on u.id = n.user_id and u.email_address like '%@crowd.test' group by u.id order by 1`,
      values: [],
    });
    // Staff follow links to the staff application, and everyone else to the web frontend.
    const wrong = await tx.query({
      text: `select u.user_type, j.payload #>> '{template_context,url}' as url
               from graphile_worker._private_jobs j join delivery d on d.id = (j.payload ->> 'delivery_id')::bigint
               join user_account u on u.id = d.user_id
              where d.channel = 'email' and d.delivery_key ~ '^(pay|disbursement:)'
                and not starts_with(j.payload #>> '{template_context,url}', case u.user_type when 'admin' then $1 else $2 end)`,
      values: [URLS.adminUrl, URLS.webUrl],
    });
    assert.deepEqual(wrong.rows, []);
    return (rows as { line: string }[]).map(({ line }) => line);
  });
}

const both = (...names: string[]) => names.map((name) => `${name}: email and push`);
const moveOf = (disbursement_id: number) => ({ disbursement_id, from: '2041-01-02', to: null, because: 'stopped' }) as const;

const MOVED: Record<keyof typeof PARTS, string[]> = {
  'people on the case': both('ip in', 'judge in', 'surrogate in'),
  'people who left': both('ip left'),
  'people without an account': [],
  'people of another case': both('surrogate other'),
};
for (const [whose, parts] of Object.entries(PARTS))
  test(`[WHERE-3, NOTIFY-9] a moved day of ${whose} is announced to the payee, and to the submitter and approver who see the case`, async () => {
    for (const status of ['submitted', 'approved', 'batched', 'draft', 'denied', 'paid', 'returned', 'cancelled']) {
      const notified = await listNotified(async (tx) => {
        const moves = [moveOf(await addRequest(tx, status, parts))];
        await mailMovedDates({ db: tx, ...URLS }, { notice: 'one', moves });
        await pushMovedDates({ db: tx }, { notice: 'one', moves });
      });
      const isUnderWay = ['submitted', 'approved', 'batched'].includes(status);
      assert.deepEqual(notified, isUnderWay ? MOVED[whose as keyof typeof PARTS] : [], status);
    }
  });

const STOPPED: Record<keyof typeof PARTS, string[]> = {
  'people on the case': both('admin lead', 'ip in', 'judge in', 'surrogate in'),
  'people who left': both('admin lead', 'ip in', 'ip left', 'surrogate in'),
  'people without an account': both('admin lead', 'ip in', 'surrogate in'),
  'people of another case': both('admin lead', 'ip in', 'surrogate in', 'surrogate other'),
};
for (const [whose, parts] of Object.entries(PARTS))
  test(`[BANK-11, NOTIFY-9] payments of ${whose} that stopped are announced once, also to someone with a moved day`, async () => {
    const notified = await listNotified(async (tx) => {
      const { submitter, payee, approver } = parts;
      const stopped = { disbursement_id: await addRequest(tx, 'draft', parts), amount_cents: 1234, category: 'Travel' };
      const people = { maker_id: idOf(submitter), approved_by: idOf(approver), approver_id: null };
      const payments = [{ ...stopped, ...people, next: 'draft' as const }];
      const other = { ...parts, submitter: 'ip in', approver: 'surrogate in' };
      const moves = [moveOf(await addRequest(tx, 'approved', other))];
      const news = { notice: 'one', payee_id: idOf(payee), changed_at: NOW.toISOString(), payments, moves };
      await mailStoppedPayments({ db: tx, ...URLS }, news);
      await pushStoppedPayments({ db: tx }, news);
    });
    assert.deepEqual(notified, STOPPED[whose as keyof typeof PARTS]);
  });

test('[BANK-11, APPROVER-1] stopped payments that staff have to decide are announced to all staff who may, except insiders', async () => {
  const notify = (payee: string, next: 'submitted' | 'draft', approver_id: number | null) =>
    listNotified(async (tx) => {
      const parts = { maker: 'ip in', submitter: 'ip in', payee, approver: 'cm in' };
      const stopped = { disbursement_id: await addRequest(tx, 'submitted', parts), amount_cents: 1, category: 'Travel' };
      const payments = [{ ...stopped, next, maker_id: idOf('ip in'), approved_by: null, approver_id }];
      const news = { notice: 'one', payee_id: idOf(payee), changed_at: NOW.toISOString(), payments, moves: [] };
      await mailStoppedPayments({ db: tx, ...URLS }, news);
      await pushStoppedPayments({ db: tx }, news);
    });
  const usual = ['admin lead', 'ip in', 'surrogate in'];
  assert.deepEqual(await notify('surrogate in', 'submitted', null), both('admin lead', 'ip in', 'judge in', 'surrogate in'));
  assert.deepEqual(await notify('surrogate in', 'submitted', idOf('cm in')), both(...usual));
  assert.deepEqual(await notify('surrogate in', 'draft', null), both(...usual));
});

test('[BANK-10, NOTIFY-9] a stop is announced to staff who can clear it, its end to the person who raised it, and neither too late', async () => {
  const notify = (event: 'raised' | 'cleared', raised_by: string, { cleared = event === 'cleared', edits = true } = {}) =>
    listNotified(async (tx) => {
      if (edits)
        await tx.query({
          text: `insert into admin_role_permission values ($1, 'edit_drs')`,
          values: [id('admin_role', 'Judge')],
        });
      const disbursement_id = await addRequest(tx, 'approved', PARTS['people on the case']);
      const stop_id = await addRow(
        tx,
        `insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason, cleared_at, cleared_by, clear_reason)
         select $1, $2, $3, $4, $5, 'x', c.at, c.by, c.reason from (values (true, $5::timestamptz, $4::bigint, 'x'), (false, null, null, null))
           c (is_cleared, at, by, reason) where c.is_cleared = $6`,
        [idOf('ip in'), id('case_file', 'Crowd'), disbursement_id, idOf(raised_by), NOW, cleared],
      );
      await mailPaymentStop({ db: tx, ...URLS }, { stop_id, event });
      await pushPaymentStop({ db: tx }, { stop_id, event });
    });
  assert.deepEqual(await notify('raised', 'surrogate in'), both('admin lead', 'judge in'));
  assert.deepEqual(await notify('raised', 'surrogate in', { edits: false }), both('admin lead'));
  assert.deepEqual(await notify('raised', 'surrogate in', { cleared: true }), []);
  assert.deepEqual(await notify('cleared', 'surrogate in'), both('surrogate in'));
  assert.deepEqual(await notify('cleared', 'judge in'), both('judge in'));
  assert.deepEqual(await notify('cleared', 'surrogate in', { cleared: false }), []);
  for (const gone of ['surrogate left', 'surrogate closed', 'judge other'])
    assert.deepEqual(await notify('cleared', gone), [], gone);
});

const BATCH_STATUSES = ['draft', 'approved', 'generated', 'outcome_unknown', 'transmitted', 'settled', 'cancelled'];

const STEPS = {
  submitted: { status: 'submitted', notified: ['admin lead', 'judge in'] },
  approved: { status: 'approved', notified: ['ip in', 'surrogate in'] },
  denied: { status: 'denied', notified: ['admin lead', 'surrogate in'] },
  on_its_way: { status: 'batched', notified: ['cm in', 'surrogate in'] },
  paid: { status: 'paid', notified: ['cm in', 'surrogate in'] },
  returned: { status: 'returned', notified: ['cm in', 'surrogate in'] },
  ended: { status: 'ended', notified: ['cm in', 'ip in', 'judge in', 'surrogate in'] },
} as const;

test('[EMAIL-4, EMAIL-5, EMAIL-6, WHERE-5, NOTIFY-9] each step is announced to its people, except deactivated ones', async () => {
  for (const [event, { status, notified }] of Object.entries(STEPS)) {
    const announce = (closed: string | null) =>
      listNotified(async (tx) => {
        const parts = { maker: 'ip in', submitter: 'surrogate in', payee: 'cm in', approver: 'judge in' };
        const disbursement_id = await addRequest(tx, status, parts);
        const text = `update disbursement_request set approver_id = null where id = $1 and status = 'submitted'`;
        await tx.query({ text, values: [disbursement_id] });
        if (closed !== null)
          await tx.query({ text: `update user_account set status = 'deactivated' where id = $1`, values: [idOf(closed)] });
        const news = { disbursement_id, event: event as keyof typeof STEPS, at: NOW.toISOString() };
        await mailDisbursement({ db: tx, ...URLS }, news, NOW);
        await pushDisbursement({ db: tx }, news);
      });
    assert.deepEqual(await announce(null), both(...notified), event);
    for (const closed of notified)
      assert.deepEqual(await announce(closed), both(...notified.filter((name) => name !== closed)), `${event} without ${closed}`);
  }
});

test('[BANK-8] a change of the account stops its approved payments, and those in files that the bank does not have', async () => {
  const payee = crowd.get('surrogate in') ?? assert.fail();
  const parts = { maker: 'ip in', submitter: 'ip in', payee: 'surrogate in', approver: 'judge in' };
  const stopped = await undone(db, async (tx) => {
    const addAccount = (replaced_at: Date | null) =>
      addRow(
        tx,
        `insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind,
           created_by, usable_from, replaced_at) values ($1, 'x', 'person', '021000021', 'x', '1234', 'checking', $1, now(), $2)`,
        [payee.id, replaced_at],
      );
    const [before, current] = [await addAccount(NOW), await addAccount(null)];
    const batches = new Map<string, number>();
    for (const [at, status] of BATCH_STATUSES.entries())
      batches.set(
        status,
        await addRow(
          tx,
          `insert into banking_batch (status, created_by, approved_by, handed_out_by, entry_count, total_cents, file, file_sha256,
             effective_date, file_day, file_id_modifier) values ($1, $2, $3, $3, 1, 1, 'x', sha256('x'), $4, $4, $5)`,
          [status, idOf('admin lead'), idOf('judge in'), NOW, String(at)],
        ),
      );
    const names = new Map<number, string>();
    const add = async (name: string, status: string, entries: [batch: string, account: number, released_at: Date | null][]) => {
      const requestId = await addRequest(tx, status, parts);
      names.set(requestId, name);
      for (const [batch, account, released_at] of entries)
        await addRow(
          tx,
          `insert into banking_batch_entry (batch_id, disbursement_id, bank_account_id, amount_cents, released_at)
           values ($1, $2, $3, 1, $4)`,
          [batches.get(batch) ?? 0, requestId, account, released_at],
        );
    };
    for (const status of ['submitted', 'approved', 'paid']) await add(status, status, []);
    for (const status of BATCH_STATUSES) await add(`in a batch: ${status}`, 'batched', [[status, current, null]]);
    await add('to the account before', 'batched', [['draft', before, null]]);
    const moved = ['draft', 'approved', 'generated'].map((batch): [string, number, Date] => [batch, current, NOW]);
    await add('moved to a batch that the bank has', 'batched', [...moved, ['transmitted', current, null]]);
    return (await listStoppedByAccountChange(tx, payee, NOW)).map(({ id: requestId }) => names.get(requestId));
  });
  assert.deepEqual(stopped, ['approved', 'in a batch: draft', 'in a batch: approved', 'in a batch: generated']);
});
