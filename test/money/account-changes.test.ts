import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskName, TaskPayloads } from '@case-platform/lib/jobs';
import { cancelBatch, previewBankAccount, setBankAccount } from '@case-platform/modules/banking';
import {
  createDisbursement,
  denyDisbursement,
  getDisbursement,
  mailStoppedPayments,
  pushStoppedPayments,
  submitDisbursement,
  updateDisbursement,
} from '@case-platform/modules/disbursements';
import { renderEmail } from '@case-platform/modules/notifications';
import { openTwoFamilies } from './two-families.ts';

const world = await openTwoFamilies();
const { pool, db, sealing, by, at, byAndTime, ask, submit, approve, approved, gather, versionOf, family, context } = world;
const { surrogate, parent } = family;

let numbers = 40_000_000;
const account = () => {
  numbers += 1;
  return { holder_name: 'Sam Doe', routing_number: '021000021', account_kind: 'checking' as const, account_number: `${numbers}` };
};
const change = (resubmits = false) => setBankAccount(sealing, surrogate.id, account(), { ...at(surrogate), resubmits });
/** Ends the 48 hours of the newest account. */
const coolOff = () => pool.query('update payee_bank_account set usable_from = created_at where user_id = $1', [surrogate.id]);
const rowOf = async (id: number) => (await pool.query('select * from disbursement_request where id = $1', [id])).rows[0];
const statusOf = async (id: number): Promise<string> => (await rowOf(id)).status;
const cancel = (batchId: number) => cancelBatch(db, batchId, 'Changed', ...byAndTime(world.staff.maker));
/** The notices about the steps of a request. */
const newsOf = async (id: number) =>
  (
    await pool.query(
      `select payload->>'event' as event from graphile_worker._private_jobs
        where task_id = (select id from graphile_worker._private_tasks where identifier = 'mail_disbursement')
          and (payload->>'disbursement_id')::bigint = $1 order by id`,
      [id],
    )
  ).rows.map(({ event }) => event);

/** A request in a batch with a file. */
async function inFile(amount: number): Promise<{ id: number; batch: number }> {
  const id = await approved(family, amount);
  await coolOff();
  const batch = await gather([id]);
  await world.approveAndGenerate(batch);
  return { id, batch };
}

test('[BANK-8] a cancelled batch keeps the approvals given for the current account, of the same payee too', async () => {
  const old = await inFile(6720);
  await change();
  const current = await approved(family, 40_000);
  assert.deepEqual([await statusOf(old.id), await statusOf(current)], ['batched', 'approved']);
  await cancel(old.batch);
  assert.deepEqual([await statusOf(old.id), await statusOf(current)], ['draft', 'approved']);
});

test('[BANK-8] a request of the batch that was approved again for the current account stays approved', async () => {
  const first = await inFile(100);
  await change();
  await cancel(first.batch);
  await submit(family, first.id);
  await approve(family, first.id);
  const second = await inFile(200);
  await cancel(second.batch);
  assert.deepEqual([await statusOf(first.id), await statusOf(second.id)], ['approved', 'approved']);
});

test('[BANK-8] approvals given before the first account count for it, and not for the next one', async () => {
  await pool.query('update payee_bank_account set replaced_at = now() where user_id = $1 and replaced_at is null', [
    surrogate.id,
  ]);
  const id = await approved(family, 300);
  assert.equal((await rowOf(id)).approved_account_id, null);
  const first = await change();
  assert.deepEqual([await statusOf(id), Number((await rowOf(id)).approved_account_id)], ['approved', first.id]);
  await change();
  assert.equal(await statusOf(id), 'draft');
});

test('[BANK-8] the preview lists the requests that a change stops, and the change stops those', async () => {
  const { id: inFileId } = await inFile(400);
  const waiting = await approved(family, 500);
  const gathered = await approved(family, 600);
  await coolOff();
  await gather([gathered]);
  const submitted = await ask(family, 700);
  await submit(family, submitted);
  const next = account();
  const preview = (await previewBankAccount(sealing, surrogate, next, world.now())).map(({ id }) => id);
  assert.deepEqual(
    preview.filter((id) => id >= inFileId),
    [inFileId, waiting, gathered],
  );
  assert.deepEqual(await statusOf(waiting), 'approved');
  await setBankAccount(sealing, surrogate.id, next, at(surrogate));
  const states = await Promise.all([inFileId, waiting, gathered, submitted].map(statusOf));
  assert.deepEqual(states, ['batched', 'draft', 'draft', 'submitted']);
  const again = await approved(family, 450);
  const sameNumber = (await previewBankAccount(sealing, surrogate, next, world.now())).map(({ id }) => id);
  const otherNumber = (await previewBankAccount(sealing, surrogate, account(), world.now())).map(({ id }) => id);
  assert.deepEqual(sameNumber, otherNumber, 'it does not reveal whether a number is that of the current account');
  assert.ok(sameNumber.includes(again));
  assert.ok(!sameNumber.includes(inFileId), 'the last change has already stopped it');
  await assert.rejects(previewBankAccount(sealing, surrogate, { ...next, routing_number: '1' }, world.now()), { status: 422 });
});

test('[BANK-8] with resubmit, all requests go to their approver again, those of a file once its batch is cancelled', async () => {
  const payment = await inFile(800);
  const waiting = await approved(family, 900);
  await change(true);
  assert.deepEqual([await statusOf(waiting), await statusOf(payment.id)], ['submitted', 'batched']);
  await cancel(payment.batch);
  const before = await rowOf(payment.id);
  assert.deepEqual(
    [before.status, Number(before.submitted_by), Number(before.approver_id)],
    ['submitted', surrogate.id, parent.id],
  );
  const { rows } = await pool.query(
    `select coalesce(sum(p.amount_cents), 0)::int as held from ledger_posting p join ledger_transaction t on t.id = p.transaction_id
      where p.account = 'held' and t.disbursement_id = any($1::bigint[])`,
    [[waiting, payment.id]],
  );
  assert.equal(rows[0].held, 0, 'the money is available until the next approval');
  assert.deepEqual(await newsOf(waiting), ['submitted', 'approved'], 'one mail replaces those about each request (BANK-11)');
  assert.deepEqual(await newsOf(payment.id), ['submitted', 'approved']);
  await approve(family, waiting);
  await denyDisbursement(context, payment.id, { version: await versionOf(parent, payment.id), reason: 'No' }, by(parent));
  await cancel(await coolOff().then(() => gather([waiting])));
  assert.equal(await statusOf(waiting), 'approved', 'the new approval is for the current account');
});

test('[WHERE-1] a request that lost its approval says why it has to be sent again, until it is sent', async () => {
  const placeOf = async (id: number) => {
    const { state, why } = (await getDisbursement(db, surrogate, id, world.now())).whereabouts;
    return [state, /bank account changed|changed after it was sent/.exec(why ?? '')?.[0] ?? why];
  };
  const id = await ask(family, 950);
  await updateDisbursement(context, id, { amount_cents: 960 }, by(surrogate));
  assert.deepEqual(await placeOf(id), ['draft', null]);
  await submit(family, id);
  await approve(family, id);
  await change();
  assert.deepEqual(await placeOf(id), ['send_again', 'bank account changed']);
  await updateDisbursement(context, id, { amount_cents: 970 }, by(surrogate));
  assert.deepEqual(await placeOf(id), ['send_again', 'bank account changed'], 'a change of the draft leaves the reason');
  await submit(family, id);
  assert.equal((await placeOf(id))[0], 'waiting_for_approval');
  await updateDisbursement(context, id, { amount_cents: 980 }, by(surrogate));
  assert.deepEqual(await placeOf(id), ['send_again', 'changed after it was sent']);
});

test('[BANK-8, PAYABLE-1] a request that was approved for another account goes into no batch', async () => {
  const id = await approved(family, 1000);
  await coolOff();
  await pool.query(
    'update disbursement_request set approved_account_id = (select min(id) from payee_bank_account where user_id = $1) where id = $2',
    [surrogate.id, id],
  );
  await assert.rejects(gather([id]), { status: 409, code: 'account_changed' });
});

test('[BANK-8] two changes and an approval at once leave no approval for an earlier account', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await ask(family, 1100 + round);
    await submit(family, id);
    const seen = await versionOf(parent, id);
    await Promise.allSettled([change(), approve(family, id), change(true), approve(family, id)]);
    const { rows } = await pool.query(
      `select d.status, d.approved_account_id = a.id as is_current from disbursement_request d
         join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null where d.id = $1`,
      [id],
    );
    assert.ok(rows[0].status !== 'approved' || rows[0].is_current, `${rows[0].status} ${seen}`);
  }
});

const urls = { webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };
/** Takes the waiting jobs of a task out of the queue, oldest first. */
async function takeJobs<Name extends TaskName>(task: Name): Promise<TaskPayloads[Name][]> {
  const { rows } = await pool.query<{ payload: TaskPayloads[Name] }>(
    `with gone as (delete from graphile_worker._private_jobs
       where task_id = (select id from graphile_worker._private_tasks where identifier = $1) returning id, payload)
     select payload from gone order by id`,
    [task],
  );
  return rows.map(({ payload }) => payload);
}
/** Runs the announcements that wait, and returns the mails that they queued, by recipient. */
async function stoppedMails() {
  const { rows: before } = await pool.query('select coalesce(max(id), 0) as last from delivery');
  for (const news of await takeJobs('mail_stopped_payments'))
    for (let run = 0; run < 2; run += 1) await mailStoppedPayments({ db, ...urls }, news);
  const { rows } = await pool.query(
    `select d.recipient, d.subject, j.payload->'template_context' as context
       from delivery d join graphile_worker._private_jobs j on (j.payload->>'delivery_id')::bigint = d.id
      where d.channel = 'email' and d.event = 'payments_stopped' and d.id > $1 order by d.recipient`,
    [before[0].last],
  );
  return rows as { recipient: string; subject: string; context: Record<string, unknown> }[];
}
const manager = await world.person('manager@demo.test', 'cm');
/** Creates a request for the surrogate that the case manager wrote and the parent approved. */
async function approvedForManager(amount_cents: number): Promise<number> {
  const payee = { user_type: 'surrogate', user_id: surrogate.id } as const;
  const wish = { amount_cents, category: 'Travel', description: 'Hotel', payee };
  const { id } = await createDisbursement(context, family.caseId, wish, by(manager));
  await submitDisbursement(context, id, by(manager));
  await approve(family, id);
  return id;
}
const IN_FILE = 'It’s in a bank file that we won’t send. Once our payments team has taken it out, ';

test('[BANK-11] each person gets one mail with their payments, what happens to each, and the total, and no one else does', async () => {
  await change();
  await takeJobs('mail_stopped_payments');
  await inFile(1200);
  await approved(family, 345_600);
  await approvedForManager(7800);
  await change();
  const mails = await stoppedMails();
  const payment = (amount: string, next: string) => ({ amount, category: 'Travel', case_name: 'Case 1', next });
  const others = [
    payment('$12.00', `${IN_FILE}Sarah Lindgren needs to send it again.`),
    payment('$3,456.00', 'Sarah Lindgren needs to send it again.'),
    payment('$78.00', `${manager.first_name} ${manager.last_name} needs to send it again.`),
  ];
  const own = [
    payment('$12.00', `${IN_FILE}you need to send it again.`),
    payment('$3,456.00', 'You need to send it again.'),
    others[2],
  ];
  const three = '3 payments to Sarah Lindgren were stopped';
  assert.deepEqual(
    mails.map(({ recipient, subject, context: { payments, total, url } }) => [recipient, subject, payments, total, url]),
    [
      ['escrow@demo.test', three, others, '$3,546.00', 'http://localhost:4001/disbursements'],
      [
        'manager@demo.test',
        '1 payment to Sarah Lindgren was stopped',
        [payment('$78.00', 'You need to send it again.')],
        '$78.00',
        'http://localhost:3000/disbursements',
      ],
      ['parent@demo.test', three, others, '$3,546.00', 'http://localhost:3000/disbursements'],
      ['surrogate@demo.test', '3 payments to you were stopped', own, '$3,546.00', 'http://localhost:3000/disbursements'],
    ],
  );
  const { text } = await renderEmail('payments_stopped.html', { subject_line: 'x', ...mails[3]?.context });
  assert.equal(
    text.slice(0, text.indexOf('See the payments:')),
    `Hello Sarah,

3 payments to you were stopped

Your bank account was changed on Nov 23, 2026. Because these payments were approved for the previous account, nothing was paid.

$12.00 Travel, Case 1
${own[0]?.next}

$3,456.00 Travel, Case 1
You need to send it again.

$78.00 Travel, Case 1
${others[2]?.next}

Total $3,546.00

If you didn’t expect this change, call your escrow specialist right away.

`,
  );
});

test('[BANK-11] with resubmit, the mail says that payments wait for approval again, and a cancelled batch sends its own', async () => {
  await change();
  const payment = await inFile(1300);
  await approved(family, 1400);
  await takeJobs('mail_stopped_payments');
  await takeJobs('push_stopped_payments');
  await change(true);
  const nextOf = async () =>
    Object.fromEntries(
      (await stoppedMails()).map(({ recipient, context: { payments } }) => [
        recipient,
        (payments as { amount: string; next: string }[]).map(({ amount, next }) => `${amount} ${next}`),
      ]),
    );
  const later = `$13.00 ${IN_FILE}it’s sent for approval again.`;
  const sent = [later, '$14.00 It was sent for approval again.'];
  assert.deepEqual(await nextOf(), {
    'escrow@demo.test': sent,
    'parent@demo.test': [later, '$14.00 It’s waiting for your approval again.'],
    'surrogate@demo.test': sent,
  });
  assert.deepEqual((await takeJobs('push_stopped_payments')).length, 1);
  await cancel(payment.batch);
  const again = ['$13.00 It was sent for approval again.'];
  assert.deepEqual(await nextOf(), {
    'escrow@demo.test': again,
    'parent@demo.test': ['$13.00 It’s waiting for your approval again.'],
    'surrogate@demo.test': again,
  });
});

test('[BANK-11] people who left the case or whose account is closed get no mail, and staff who have to decide get one', async () => {
  await change();
  await approvedForManager(1500);
  await takeJobs('mail_stopped_payments');
  await pool.query("update user_account set status = 'deactivated' where email_address like 'parent%@demo.test'");
  await pool.query('update case_participant set left_at = now() where user_id = $1', [manager.id]);
  await change(true);
  const recipients = (await stoppedMails()).map(({ recipient }) => recipient);
  await pool.query("update user_account set status = 'active' where email_address like 'parent%@demo.test'");
  await pool.query('update case_participant set left_at = null where user_id = $1', [manager.id]);
  assert.deepEqual(recipients, ['escrow@demo.test', 'root@demo.test', 'surrogate@demo.test', 'totp-admin@demo.test']);
});

test('[BANK-11] a change that stops nothing sends no mail, and the push goes to each person once without names or amounts', async () => {
  await change();
  await takeJobs('mail_stopped_payments');
  await takeJobs('push_stopped_payments');
  await change();
  assert.deepEqual(await stoppedMails(), []);
  await approved(family, 1600);
  await change();
  const [news] = await takeJobs('push_stopped_payments');
  assert.ok(news);
  for (let run = 0; run < 2; run += 1) await pushStoppedPayments({ db }, news);
  const pushes = await takeJobs('post_platform_push');
  assert.deepEqual(new Set(pushes.map(({ key }) => key)).size, 1, 'a repeat has the same key, so it is sent once');
  const [push] = pushes;
  assert.deepEqual(
    push?.recipients.map(({ user_id }) => user_id).sort((a, b) => a - b),
    [surrogate.id, parent.id, await world.person('escrow@demo.test', 'admin').then(({ id }) => id)].sort((a, b) => a - b),
  );
  const { title, body } = push?.notification ?? {};
  assert.deepEqual([title, body], ['Payments stopped', 'A bank account was changed. See which payments need approval again.']);
});
