import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelBatch, previewBankAccount, setBankAccount } from '@case-platform/modules/banking';
import { denyDisbursement, getDisbursement, updateDisbursement } from '@case-platform/modules/disbursements';
import { openTwoFamilies } from './two-families.ts';

const world = await openTwoFamilies();
const { pool, db, sealing, by, at, ask, submit, approve, approved, gather, versionOf, family, context } = world;
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
const cancel = (batchId: number) => cancelBatch(db, batchId, 'Changed', at(world.staff.maker));
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
  await assert.rejects(previewBankAccount(sealing, surrogate, { ...next, routing_number: '1' }, world.now()), { status: 422 });
});

test('[BANK-8] with resubmit, all requests go to their approver again, those of a file once its batch is cancelled', async () => {
  const held = await inFile(800);
  const waiting = await approved(family, 900);
  await change(true);
  assert.deepEqual([await statusOf(waiting), await statusOf(held.id)], ['submitted', 'batched']);
  await cancel(held.batch);
  const before = await rowOf(held.id);
  assert.deepEqual(
    [before.status, Number(before.submitted_by), Number(before.approver_id)],
    ['submitted', surrogate.id, parent.id],
  );
  const { rows } = await pool.query(
    `select coalesce(sum(p.amount_cents), 0)::int as held from ledger_posting p join ledger_transaction t on t.id = p.transaction_id
      where p.account = 'held' and t.disbursement_id = any($1::bigint[])`,
    [[waiting, held.id]],
  );
  assert.equal(rows[0].held, 0, 'the money is available until the next approval');
  assert.deepEqual(await newsOf(waiting), ['submitted', 'approved', 'submitted']);
  assert.deepEqual(await newsOf(held.id), ['submitted', 'approved', 'submitted']);
  await approve(family, waiting);
  await denyDisbursement(context, held.id, { version: await versionOf(parent, held.id), reason: 'No' }, by(parent));
  await cancel(await coolOff().then(() => gather([waiting])));
  assert.equal(await statusOf(waiting), 'approved', 'the new approval is for the current account');
});

test('[WHERE-1] a request that lost its approval says why it has to be sent again, until it is sent', async () => {
  const placeOf = async (id: number) => {
    const { state, why } = (await getDisbursement(db, surrogate, id, world.now())).whereabouts;
    return [state, /bank account changed|changed after it was sent/.exec(why ?? '')?.[0] ?? why];
  };
  const id = await ask(family, 950);
  await updateDisbursement({ db }, id, { amount_cents: 960 }, by(surrogate));
  assert.deepEqual(await placeOf(id), ['draft', null]);
  await submit(family, id);
  await approve(family, id);
  await change();
  assert.deepEqual(await placeOf(id), ['send_again', 'bank account changed']);
  await updateDisbursement({ db }, id, { amount_cents: 970 }, by(surrogate));
  assert.deepEqual(await placeOf(id), ['send_again', 'bank account changed'], 'a change of the draft leaves the reason');
  await submit(family, id);
  assert.equal((await placeOf(id))[0], 'waiting_for_approval');
  await updateDisbursement({ db }, id, { amount_cents: 980 }, by(surrogate));
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
