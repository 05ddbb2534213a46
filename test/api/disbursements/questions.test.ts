import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { findActiveUser } from '@case-platform/modules/accounts';
import { gatherBatch } from '@case-platform/modules/banking';
import { clearStop, listPaymentStops, requirePayable } from '@case-platform/modules/disbursements';
import type { EmailProvider } from '@case-platform/modules/notifications';
import { CASE_1 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { bringTo, decide, draft, fundCase, move } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { runOverlapping } from '../../support/run-overlapping.ts';

/** Questions about a request, and alarms that stop all payments to its payee (BANK-10). */

const api = await startApi();
await fundCase(api, CASE_1, 100_000_000);
const { surrogate, parent, parent2, manager, escrow, root, viewer, finance } = await api.everyone();
const both = { maker: surrogate, checker: parent };
const run = async (text: string, ...values: unknown[]) => (await api.pool.query(text, values)).rows;
const staff = async (email_address: string) => {
  const actor = await findActiveUser(api.db, { email_address, user_type: 'admin' });
  assert.ok(actor);
  return { actor, origin: SYSTEM };
};
const ask = (who: Client, id: number, text = 'Is this yours?', more: object = {}, headers: Record<string, string> = {}) =>
  who.post(`/api/disbursements/${id}/question`, { text, ...more }, headers);
const alarm = (who: Client, id: number, text = 'I don’t trust this.') => ask(who, id, text, { alarm: true });
const liveStops = () => run('select * from payment_stop where cleared_at is null order by id');
const messagesOf = async (who: Client, chainId: number) => {
  const { status, body } = await who.get(`/api/messages/${chainId}`);
  return status === 200 ? body.messages.data.map(({ message }: { message: string }) => message) : status;
};
const clear = async (email: string, id: number, reason = 'Phoned her') => {
  const [stop] = await liveStops();
  await clearStop({ db: api.db, now: () => new Date() }, id, { stop_id: Number(stop?.id), reason }, await staff(email));
};
/** Gives the surrogate another account. */
async function enterAccount(by: Client): Promise<void> {
  await run('update payee_bank_account set replaced_at = now() where user_id = $1 and replaced_at is null', surrogate.userId);
  await run(
    `insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind,
                                     created_by, usable_from)
     values ($1, 'Sarah Lindgren', 'person', '021000021', '\\x00', '4321', 'checking', $2, now())`,
    surrogate.userId,
    by.userId,
  );
}
const sent: Parameters<EmailProvider['send']>[0][] = [];
const email: EmailProvider = {
  name: 'mailpit',
  async send(mail) {
    sent.push(mail);
    return `mail-${sent.length}`;
  },
};
const mails = async (subject: RegExp) => {
  await api.work({ email });
  return sent
    .splice(0)
    .filter((mail) => subject.test(mail.subject))
    .map(({ to }) => to)
    .sort();
};

beforeEach(async () => {
  await run(
    "update payment_stop set cleared_at = now(), cleared_by = $1, clear_reason = 'Next test' where cleared_at is null",
    root.userId,
  );
});

test('[BANK-10] a question opens a conversation with the payee about the request, and the next one continues it', async () => {
  const id = await bringTo(api, both, 'submitted');
  const first = await ask(parent, id);
  assert.deepEqual([first.status, first.body.stopped], [201, false]);
  const { chain_id } = first.body;
  assert.equal((await parent.get(`/api/disbursements/${id}`)).body.chain_id, chain_id);
  assert.deepEqual(await messagesOf(surrogate, chain_id), ['Is this yours?']);
  assert.deepEqual(await messagesOf(escrow, chain_id), ['Is this yours?'], 'the escrow specialist reads it, too');
  const second = await ask(parent, id, 'Did you change banks?');
  assert.equal(second.body.chain_id, chain_id);
  assert.deepEqual(await messagesOf(surrogate, chain_id), ['Did you change banks?', 'Is this yours?']);
  assert.deepEqual(await liveStops(), []);
});

test('[BANK-10] a conversation that the payee is not in stays as it is, and the payee is asked in another one', async () => {
  const people = { maker: manager, checker: parent };
  const payee = { user_type: 'surrogate', user_id: surrogate.userId };
  const [id, other] = [await bringTo(api, people, 'submitted', { payee }), await bringTo(api, people, 'submitted', { payee })];
  const { body } = await manager.form('/api/messages', { message: 'About this', case_id: String(CASE_1) });
  const put = { body: JSON.stringify({ chain_id: body.chain.id }), headers: { 'content-type': 'application/json' } };
  for (const request of [id, other])
    assert.equal((await manager.call('PUT', `/api/disbursements/${request}/chain`, put)).status, 200);
  const asked = (await ask(parent, id)).body.chain_id;
  assert.notEqual(asked, body.chain.id);
  assert.equal((await ask(parent, id, 'Again')).body.chain_id, asked, 'the parent’s own conversation about it continues');
  assert.deepEqual(await messagesOf(surrogate, asked), ['Again', 'Is this yours?']);
  assert.equal(await messagesOf(manager, asked), 404);
  const ofStaff = (await ask(root, id, 'From staff')).body.chain_id;
  assert.ok(![asked, body.chain.id].includes(ofStaff));
  assert.equal((await ask(parent, id, 'Once more')).body.chain_id, asked, 'also after someone else asked about it');
  assert.equal((await ask(root, id, 'From staff, too')).body.chain_id, ofStaff);
  assert.ok(![asked, body.chain.id].includes((await ask(parent, other)).body.chain_id), 'another request has its own');
});

test('[BANK-10] two questions at once share a conversation, and ten alarms at once raise one stop', async () => {
  const id = await bringTo(api, both, 'submitted');
  const answers = await Promise.all([1, 2, 3].map((n) => ask(parent, id, `Question ${n}`)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal(new Set(answers.map(({ body }) => body.chain_id)).size, 1);
  await api.work({ email });
  const alarms = await Promise.all(Array.from({ length: 10 }, () => alarm(parent, id)));
  assert.deepEqual(new Set(alarms.map(({ status }) => status)), new Set([201]));
  assert.equal((await liveStops()).length, 1);
  assert.equal(new Set(alarms.map(({ body }) => body.chain_id)).size, 1);
  assert.deepEqual(await mails(/are stopped$/), ['escrow@demo.test', 'root@demo.test', 'totp-admin@demo.test']);
});

test('[BANK-10] an alarm about the same payee in another case has its own conversation there', async () => {
  const case_id = await copyCase(api, CASE_1);
  const here = [await bringTo(api, both, 'submitted'), await bringTo(api, both, 'submitted')];
  const there = [await bringTo(api, both, 'submitted', { case_id }), await bringTo(api, both, 'submitted', { case_id })];
  const chains: number[][] = [[], []];
  for (const round of [0, 1])
    for (const [at, ids] of [here, there].entries()) {
      const { status, body } = await alarm(parent, ids[round] ?? 0, `${at} ${round}`);
      assert.equal(status, 201);
      chains[at]?.push(body.chain_id);
    }
  for (const [at, [first, second]] of chains.entries()) {
    assert.equal(first, second);
    assert.deepEqual(await messagesOf(escrow, first ?? 0), [`${at} 1`, `${at} 0`]);
    const [chain] = await run('select case_id::int as case_id from message_chain where id = $1', first);
    assert.deepEqual(chain, { case_id: [CASE_1, case_id][at] });
  }
  assert.deepEqual(
    (await liveStops()).map((stop) => [Number(stop.case_id), stop.chain_id === null ? null : Number(stop.chain_id)]),
    [
      [CASE_1, chains[0]?.[0]],
      [case_id, chains[1]?.[0]],
    ],
  );
});

test('[BANK-10] a conversation of another case that has the subject of a question is not continued', async () => {
  const case_id = await copyCase(api, CASE_1);
  const id = await bringTo(api, both, 'submitted');
  const asked = (await ask(parent, id)).body.chain_id;
  await run('update disbursement_request set chain_id = null where id = $1', id);
  await run('update message_chain set case_id = $2 where id = $1', asked, case_id);
  const again = (await ask(parent, id, 'Again')).body.chain_id;
  assert.notEqual(again, asked);
  assert.deepEqual(await messagesOf(surrogate, again), ['Again']);
});

test('[BANK-10, IDEMPOTENCY-1] an alarm that is sent again after it was cleared does not stop payments again', async () => {
  const id = await bringTo(api, both, 'submitted');
  const key = { 'idempotency-key': randomUUID() };
  const first = await ask(parent, id, 'Odd', { alarm: true }, key);
  await clear('escrow@demo.test', id);
  const again = await ask(parent, id, 'Odd', { alarm: true }, key);
  assert.deepEqual([again.status, again.body], [first.status, first.body]);
  assert.deepEqual(await liveStops(), []);
});

test('[BANK-10] an alarm stops all payments to the payee, and neither the payee nor other people learn who raised it', async () => {
  const [id, other, waiting] = [
    await bringTo(api, both, 'submitted'),
    await bringTo(api, both, 'submitted'),
    await bringTo(api, both, 'approved'),
  ];
  const managers = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
  const { body } = await alarm(parent, id, 'SECRET REASON');
  for (const stopped of [id, other]) {
    const answer = await decide(parent, stopped, 'approve');
    assert.deepEqual([answer.status, answer.body.code], [409, 'under_review']);
  }
  assert.equal((await decide(parent, managers, 'approve')).status, 200, 'a payment to someone else goes on');
  assert.equal(await messagesOf(surrogate, body.chain_id), 404);
  assert.equal(await messagesOf(parent2, body.chain_id), 404);
  assert.deepEqual(await messagesOf(escrow, body.chain_id), ['SECRET REASON']);
  const read = async (who: Client, one: number) => (await who.get(`/api/disbursements/${one}`)).body;
  for (const who of [surrogate, parent2, manager]) {
    for (const one of [id, other, waiting]) {
      const seen = await read(who, one);
      assert.deepEqual(
        [seen.not_payable, seen.alarm],
        [{ reason: 'under_review', sentence: 'Our team is checking this payment.' }, null],
      );
      assert.equal(seen.whereabouts.why, 'Our team is checking this payment.');
      assert.equal(seen.whereabouts.arrives, null);
      assert.doesNotMatch(JSON.stringify(seen.timeline.concat(seen.whereabouts)), /SECRET|stop/i);
    }
  }
  assert.deepEqual((await read(surrogate, waiting)).whereabouts.state, 'on_hold');
  const own = await read(parent, waiting);
  assert.equal(own.whereabouts.why, 'You stopped all payments to Sarah Lindgren. The escrow specialist is checking this.');
  assert.deepEqual([own.alarm.is_own, own.alarm.chain_id], [true, body.chain_id]);
  const forStaff = await read(escrow, waiting);
  assert.match(forStaff.whereabouts.why, /^Paige Whitlock stopped all payments to Sarah Lindgren\./);
});

test('[BANK-10] a payment that is in a batch says that it is being checked, and shows no date', async () => {
  const id = await bringTo(api, both, 'approved');
  await enterAccount(surrogate);
  const by = await staff('root@demo.test');
  await run('update disbursement_request set approved_account_id = (select max(id) from payee_bank_account) where id = $1', id);
  await gatherBatch(api.db, { disbursement_ids: [id], same_day: false }, by, new Date());
  const before = (await surrogate.get(`/api/disbursements/${id}`)).body;
  assert.deepEqual([before.whereabouts.why, before.not_payable], [null, null]);
  await alarm(parent, id);
  const { whereabouts } = (await surrogate.get(`/api/disbursements/${id}`)).body;
  assert.deepEqual(
    [whereabouts.state, whereabouts.why, whereabouts.arrives],
    ['being_sent', 'Our team is checking this payment.', null],
  );
});

test('[BANK-10] only people who may decide about a request ask or raise an alarm, whatever its state', async () => {
  const id = await bringTo(api, both, 'submitted');
  const codes = async (who: Client) => {
    const answers = [await ask(who, id), await alarm(who, id)];
    return answers.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim());
  };
  assert.deepEqual(await codes(surrogate), ['403 same_person', '403 same_person']);
  for (const who of [parent2, manager, viewer, escrow, finance]) assert.match((await codes(who)).join(), /^403.*,403/);
  const stranger = await api.as('mailotp').catch(() => null);
  if (stranger !== null) assert.deepEqual(await codes(stranger), ['404 not_found', '404 not_found']);
  assert.deepEqual(await liveStops(), []);
  assert.deepEqual(await codes(root), ['201', '201'], 'staff with approve_drs who see the case');
  const [stop] = await liveStops();
  assert.deepEqual([Number(stop.raised_by), stop.chain_id], [root.userId, null]);
  const paid = await bringTo(api, both, 'denied');
  assert.equal((await ask(parent, paid)).status, 201);
  const unread = await draft(surrogate);
  assert.equal((await alarm(parent, unread.id)).status, 404);
});

test('[BANK-10] staff with edit_drs who see the case clear a stop with a reason, once, and the person who raised it is notified', async () => {
  const id = await bringTo(api, both, 'submitted');
  await alarm(parent, id);
  await api.work({ email });
  sent.splice(0);
  await assert.rejects(clear('escrow@demo.test', id, ' '), { status: 422 });
  for (const outsider of ['viewer@demo.test', 'finance@demo.test'])
    await assert.rejects(clear(outsider, id), (error: { status: number }) => [403, 404].includes(error.status), outsider);
  const [stop] = await liveStops();
  const clearing = { stop_id: Number(stop.id), reason: 'Phoned her' };
  const by = await staff('escrow@demo.test');
  const results = await Promise.allSettled([1, 2].map(() => clearStop({ db: api.db, now: () => new Date() }, id, clearing, by)));
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const [row] = await run('select * from payment_stop where id = $1', stop.id);
  assert.deepEqual([Number(row.cleared_by), row.clear_reason], [escrow.userId, 'Phoned her']);
  const audit = await run(
    `select action from audit_entry where subject_type = 'disbursement' and subject_id = $1 and action like '%payments' order by id`,
    id,
  );
  assert.deepEqual(
    audit.map(({ action }) => action),
    ['disbursement.stop_payments', 'disbursement.clear_payments'],
  );
  assert.deepEqual(await mails(/^Payments to Sarah Lindgren continue$/), ['parent@demo.test']);
  assert.equal((await move(parent, id, 'approve')).status, 'approved');
});

test('[BANK-10, PERSON-2] the person who was stopped, and staff who entered the account, do not clear the stop', async () => {
  const id = await bringTo(api, both, 'submitted');
  await alarm(parent, id);
  await enterAccount(escrow);
  await assert.rejects(clear('escrow@demo.test', id), { status: 403, code: 'same_person' });
  assert.deepEqual((await listPaymentStops(api.db, (await staff('escrow@demo.test')).actor)).length, 1);
  await clear('root@demo.test', id);
});

test('[BANK-10, CASE-2] staff see the stops of their cases only', async () => {
  const id = await bringTo(api, both, 'submitted');
  await alarm(parent, id, 'Odd');
  const seen = async (address: string) =>
    (await listPaymentStops(api.db, (await staff(address)).actor)).map((stop) => stop.reason);
  assert.deepEqual(await seen('escrow@demo.test'), ['Odd']);
  await run('update case_file set escrow_specialist_id = null where id = $1', CASE_1);
  await run('delete from case_admin where case_id = $1', CASE_1);
  assert.deepEqual(await seen('escrow@demo.test'), []);
  assert.deepEqual(await seen('root@demo.test'), ['Odd']);
  await run('update case_file set escrow_specialist_id = $2 where id = $1', CASE_1, escrow.userId);
});

test('[BANK-10] an alarm waits for a step that checks a payment to the same payee in another case, and so does such a step', async () => {
  const case_id = await copyCase(api, CASE_1);
  await fundCase(api, case_id, 100_000);
  const [own, theirs] = [await bringTo(api, both, 'submitted'), await bringTo(api, both, 'approved', { case_id })];
  const step = (tx: Transaction) => requirePayable(tx, [theirs], { step: 'send', now: new Date() });
  assert.equal((await runOverlapping(api, step, () => alarm(parent, own))).status, 201);
  await assert.rejects(api.db.transaction(step), { code: 'under_review' });
});

test('[BANK-10] the stop of another case, or of another payee, is not cleared through a request', async () => {
  const case_id = await copyCase(api, CASE_1);
  const own = await bringTo(api, both, 'submitted');
  const toManager = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
  await alarm(parent, await bringTo(api, both, 'submitted', { case_id }));
  const [stop] = await liveStops();
  assert.equal(Number(stop.case_id), case_id);
  for (const id of [own, toManager]) await assert.rejects(clear('root@demo.test', id), { status: 409, code: 'wrong_state' });
  assert.equal((await liveStops()).length, 1);
  await alarm(root, own, 'Mine');
  const { actor } = await staff('root@demo.test');
  const reasons = (await listPaymentStops(api.db, actor, { about: own })).map(({ reason }) => reason);
  assert.deepEqual(reasons, ['Mine'], 'the stop of its own case');
  const alarmOf = async (who: Client) => (await who.get(`/api/disbursements/${own}`)).body.alarm;
  assert.equal((await alarmOf(root)).is_own, true, 'one’s own stop comes before an older one');
  assert.equal((await alarmOf(escrow)).is_own, false);
  const becomes = (of: Client) =>
    run(
      'update user_account set person_id = (select person_id from user_account where id = $1) where id = $2',
      of.userId,
      escrow.userId,
    );
  const [before] = await run('select person_id from user_account where id = $1', escrow.userId);
  await becomes(surrogate);
  const hidden = [await alarmOf(escrow), await listPaymentStops(api.db, (await staff('escrow@demo.test')).actor)];
  await run('update user_account set person_id = $1 where id = $2', before?.person_id, escrow.userId);
  assert.deepEqual(hidden, [null, []], 'the payee under another record');
  await clear('root@demo.test', Number(stop.disbursement_id));
  assert.equal((await liveStops()).length, 1);
});

test('[BANK-10] a person who raised a stop and left the case, or whose account was closed, is not notified that it was cleared', async () => {
  const LEAVE = [
    [
      `update case_participant set left_at = now() where user_id = $1`,
      `update case_participant set left_at = null where user_id = $1`,
    ],
    [`update user_account set status = 'deactivated' where id = $1`, `update user_account set status = 'active' where id = $1`],
  ] as const;
  for (const [leave, comeBack] of LEAVE) {
    const id = await bringTo(api, both, 'submitted');
    await alarm(parent, id);
    await api.work({ email });
    sent.splice(0);
    await run(leave, parent.userId);
    await clear('root@demo.test', id);
    const recipients = await mails(/^Payments to Sarah Lindgren continue$/);
    await run(comeBack, parent.userId);
    assert.deepEqual(recipients, [], leave);
  }
});
