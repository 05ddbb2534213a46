import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type EmailProvider, EVENTS } from '@case-platform/modules/notifications';
import { BANK, openDesk, readReturns, releaseBatch, step } from '../admin/batches/batches-desk.ts';
import { bringTo } from '../support/money.ts';
import { returnFile } from '../support/return-file.ts';

/** People who wait for a payment get mails about where it is, in words that they understand. */

const { api, parent, surrogate, root, finance, putAccount } = await openDesk();
await putAccount(surrogate);
await root.post('/batches/bank', BANK);
const manager = await api.as('manager');

const sent: Parameters<EmailProvider['send']>[0][] = [];
const email: EmailProvider = {
  name: 'mailpit',
  async send(mail) {
    sent.push(mail);
    return `mail-${sent.length}`;
  },
};
/** The mails since the last call, by recipient. */
const mails = async () => {
  await api.work({ email });
  return new Map(sent.splice(0).map((mail) => [mail.to, mail]));
};

/** Removes the flags of earlier returns, as if no payment had come back yet. */
beforeEach(async () => {
  await api.pool.query('update payee_bank_account set flag_code = null, flagged_at = null');
  await mails();
});

/** Creates a request that the case manager wrote for the surrogate. */
const approved = () =>
  bringTo(api, { maker: manager, checker: parent }, 'approved', {
    payee: { user_type: 'surrogate', user_id: surrogate.userId },
  });

test('[PAYMENT-1] each payment event mails and pushes, and each can be turned off', async () => {
  for (const name of ['payment_on_its_way', 'payment_arrived', 'payment_returned'] as const) {
    assert.deepEqual(Object.keys(EVENTS[name].channels).sort(), ['email', 'push'], name);
    const preferences = ['email', 'push'].map((channel) => ({ event: name, channel, enabled: false }));
    const answer = await surrogate.call('PUT', '/api/notifications/preferences', {
      body: JSON.stringify({ preferences: [...preferences, { event: name, channel: 'email', enabled: true }] }),
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }
});

test('[PAYMENT-1] a payment is announced with its day once the bank has it, and again once it is settled, but not before', async () => {
  const id = await approved();
  await mails();
  const path = await releaseBatch(finance, root, [id]);
  assert.deepEqual([...(await mails()).keys()], [], 'it is not known yet that the bank has it');
  await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 1' });
  const onItsWay = await mails();
  assert.deepEqual([...onItsWay.keys()].sort(), ['manager@demo.test', 'surrogate@demo.test']);
  const own = onItsWay.get('surrogate@demo.test');
  assert.equal(own?.subject, 'A payment is on its way');
  assert.match(own?.text ?? '', /The bank has \$125\.00 for you[\s\S]*It arrives on Tuesday, November 24, 2026\./);
  assert.match(onItsWay.get('manager@demo.test')?.text ?? '', /\$125\.00 for Sarah Lindgren/);
  await step(root, path, 'settle');
  const arrived = (await mails()).get('surrogate@demo.test');
  assert.match(arrived?.text ?? '', /The bank paid \$125\.00 to you/);
});

test('[PAYMENT-1, NOTIFY-9] the writer of a request is notified of its payment while on the case, and its payee always', async () => {
  const id = await approved();
  const path = await releaseBatch(finance, root, [id]);
  await mails();
  const onCase = (leftAt: string) =>
    api.pool.query(`update case_participant set left_at = ${leftAt} where user_id = $1`, [manager.userId]);
  await onCase('now()');
  await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 2' });
  assert.deepEqual([...(await mails()).keys()], ['surrogate@demo.test']);
  await onCase('null');
  await step(root, path, 'settle');
  assert.deepEqual([...(await mails()).keys()].sort(), ['manager@demo.test', 'surrogate@demo.test']);
});

test('[PAYMENT-1, RETURN-7] a returned payment says why and what to do, to the payee and to others', async () => {
  const [gone, second] = [await approved(), await approved()];
  await releaseBatch(finance, root, [gone, second]);
  await mails();
  const { rows } = await api.pool.query('select trace_number from banking_batch_entry where disbursement_id = $1', [gone]);
  const file = returnFile([{ code: 'R03', trace: rows[0].trace_number, cents: 12_500 }]);
  assert.equal((await readReturns(finance, root, file)).status, 200);
  await api.work({ email });
  const about = (id: number) => sent.filter(({ text, html }) => `${text}${html}`.includes(`/disbursements/${id}`));
  const returned = sent.filter(({ subject }) => subject === 'A payment came back');
  assert.deepEqual(returned.map(({ to }) => to).sort(), ['manager@demo.test', 'surrogate@demo.test']);
  const own = returned.find(({ to }) => to === 'surrogate@demo.test')?.text ?? '';
  assert.match(own, /Why: There’s no such account[\s\S]*What happens next: Enter another bank account/);
  assert.match(own, /See what to do: http\S+\/profile#bank-account/);
  const other = returned.find(({ to }) => to === 'manager@demo.test')?.text ?? '';
  assert.match(other, /Sarah Lindgren needs to enter another bank account/);
  assert.match(other, new RegExp(`See what to do: http\\S+/disbursements/${gone}`));
  const onItsWay = (list: typeof sent) => list.filter(({ subject }) => subject === 'A payment is on its way').length;
  assert.equal(onItsWay(about(second)), 2, 'the bank answered, so it has the other payment');
  assert.equal(onItsWay(about(gone)), 0);
  sent.splice(0);
});
