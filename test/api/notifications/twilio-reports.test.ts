import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { liftSuppression, listSuppressions, queueEmail, queueSms } from '@case-platform/modules/notifications';
import twilio from 'twilio';
import { startApi, TEST_REPORT_KEYS } from '../../support/platform.ts';

const api = await startApi();
const { userId } = await api.as('smsotp');
const to = { id: userId, user_type: 'ip' as const, email_address: 'smsotp@demo.test' };
const PHONE = '+12025550143';
let made = 0;

beforeEach(async () => {
  await api.pool.query('delete from suppression');
  await api.pool.query('delete from suppression_lift');
});

const deliveryOf = async (id: number) =>
  (await api.pool.query('select state, outcome, error from delivery where id = $1', [id])).rows[0];
const suppressions = async () =>
  (await api.pool.query('select channel, address, reason, source from suppression order by id')).rows;

/** Sends a mail that SendGrid accepts, and runs `meanwhile` before it answers. @returns the id of the delivery. */
async function mailed(meanwhile: (id: number) => Promise<unknown> = async () => {}): Promise<number> {
  made += 1;
  const key = `mail-${made}`;
  await api.db.transaction((tx) =>
    queueEmail(tx, {
      key,
      event: 'password_changed',
      to,
      subject: 'x',
      template_name: 'account_notice.html',
      template_context: { first_name: '', role: '', headline: '', sentence: '' },
    }),
  );
  const newest = async (): Promise<number> => (await api.pool.query('select max(id) as id from delivery')).rows[0].id;
  const send = async () => {
    await meanwhile(await newest());
    return `id-1-${key}`;
  };
  await api.work({ email: { name: 'sendgrid', send } });
  return newest();
}

async function texted(): Promise<{ id: number; calls: number }> {
  made += 1;
  const sms = { key: `sms-${made}`, event: 'bank_account_changed' as const, to, phone: PHONE, text: 'x' };
  await api.db.transaction((tx) => queueSms(tx, sms));
  let calls = 0;
  await api.work({
    sms: {
      name: 'twilio',
      async send() {
        calls += 1;
        return 'SM1';
      },
    },
  });
  return { id: (await api.pool.query('select max(id) as id from delivery')).rows[0].id, calls };
}

function post(path: string, body: string, headers: Record<string, string>) {
  return api.anonymous.call('POST', path, { body, headers });
}

function status(form: Record<string, string>, query = '', token = TEST_REPORT_KEYS.twilioAuthToken) {
  const path = `/webhooks/twilio${query}`;
  const signature = twilio.getExpectedTwilioSignature(token, `${TEST_REPORT_KEYS.apiUrl}${path}`, form);
  return post(path, new URLSearchParams(form).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': signature,
  });
}

const liftAll = async () => {
  const { data } = await listSuppressions(api.db);
  for (const { id } of data) await liftSuppression(api.db, id, { actor: null, origin: SYSTEM });
};

describe('[NOTIFY-10] POST /webhooks/twilio', () => {
  test('delivered and undelivered; a number that unsubscribed gets nothing more, and no provider is called', async () => {
    const { id } = await texted();
    const form = { MessageSid: 'SM1', To: PHONE, MessageStatus: 'delivered' };
    assert.equal((await status(form, `?delivery_id=${id}`)).status, 204);
    assert.equal((await deliveryOf(id)).outcome, 'delivered');
    const { id: second } = await texted();
    const other = { ...form, MessageSid: 'SM2', MessageStatus: 'undelivered', ErrorCode: '21610' };
    await api.pool.query("update delivery set provider_id = 'SM2' where id = $1", [second]);
    await status(other, `?delivery_id=${second}`);
    assert.deepEqual(await deliveryOf(second), {
      state: 'failed',
      outcome: 'bounced',
      error: 'The text message did not arrive (21610)',
    });
    assert.deepEqual(await suppressions(), [{ channel: 'sms', address: PHONE, reason: 'unsubscribed', source: 'twilio' }]);
    const third = await texted();
    assert.deepEqual([third.calls, (await deliveryOf(third.id)).state], [0, 'suppressed']);
  });

  test('a repeated report does not undo what staff have lifted, even after its name was deleted', async () => {
    const { id } = await texted();
    const form = { MessageSid: 'SM1', To: PHONE, MessageStatus: 'undelivered', ErrorCode: '21610' };
    await api.pool.query("delete from provider_report where source = 'twilio'");
    await status(form, `?delivery_id=${id}`);
    assert.equal((await suppressions()).length, 1);
    await liftAll();
    assert.equal((await status(form, `?delivery_id=${id}`)).status, 204);
    assert.deepEqual(await suppressions(), []);
    await api.pool.query("delete from provider_report where source = 'twilio'");
    await api.pool.query('update delivery set outcome = null where id = $1', [id]);
    await status(form, `?delivery_id=${id}`);
    assert.deepEqual(await suppressions(), [], 'the message is older than the lifting');
    await api.pool.query("update delivery set sent_at = sent_at - interval '8 days', outcome = null where id = $1", [id]);
    await api.pool.query('delete from provider_report; delete from suppression_lift');
    await status(form, `?delivery_id=${id}`);
    assert.deepEqual([await suppressions(), (await deliveryOf(id)).outcome], [[], null], 'nothing is said after a week');
  });

  test('a report about an earlier try, or about an unknown message, is ignored', async () => {
    const { id } = await texted();
    const form = { MessageSid: 'SM0', To: PHONE, MessageStatus: 'undelivered', ErrorCode: '21610' };
    for (const query of [`?delivery_id=${id}`, '?delivery_id=999999', '']) assert.equal((await status(form, query)).status, 204);
    assert.deepEqual([await suppressions(), (await deliveryOf(id)).outcome], [[], null]);
  });

  test('a report about a mail does not count for a text message, even if all of it fits', async () => {
    const id = await mailed();
    const { rows } = await api.pool.query('select recipient, provider_id from delivery where id = $1', [id]);
    const [mail] = rows;
    const undelivered = { MessageStatus: 'undelivered', ErrorCode: '21610' };
    const form = { MessageSid: mail.provider_id, To: mail.recipient, ...undelivered };
    assert.equal((await status(form, `?delivery_id=${id}`)).status, 204);
    const reports = await api.pool.query('select from provider_report where report_id = $1', [`${mail.provider_id}:bounced`]);
    assert.deepEqual([await suppressions(), reports.rowCount, (await deliveryOf(id)).outcome], [[], 0, null]);
  });

  test('a temporary failure suppresses nothing, and an intermediate state is ignored', async () => {
    await api.pool.query("delete from provider_report where source = 'twilio'");
    const { id } = await texted();
    await status({ MessageSid: 'SM1', To: PHONE, MessageStatus: 'sending' }, `?delivery_id=${id}`);
    assert.equal((await deliveryOf(id)).outcome, null);
    await status({ MessageSid: 'SM1', To: PHONE, MessageStatus: 'undelivered', ErrorCode: '30003' }, `?delivery_id=${id}`);
    assert.deepEqual([(await deliveryOf(id)).outcome, (await suppressions()).length], ['bounced', 0]);
  });

  test('another token, another address or another field: 401', async () => {
    const form = { MessageSid: 'SM1', To: PHONE, MessageStatus: 'failed', ErrorCode: '21610' };
    assert.equal((await status(form, '', 'another token')).status, 401);
    const signature = twilio.getExpectedTwilioSignature(
      TEST_REPORT_KEYS.twilioAuthToken,
      `${TEST_REPORT_KEYS.apiUrl}/webhooks/twilio`,
      form,
    );
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    const body = new URLSearchParams(form).toString();
    assert.equal((await post('/webhooks/twilio', body, headers)).status, 204);
    assert.equal((await post('/webhooks/twilio?delivery_id=1', body, headers)).status, 401);
    assert.equal((await post('/webhooks/twilio', `${body}&x=1`, headers)).status, 401);
    assert.equal((await post('/webhooks/twilio', `${body}&x=${'x'.repeat(40_000)}`, headers)).status, 413);
    assert.equal((await post('/webhooks/twilio', body, {})).status, 401);
  });
});
