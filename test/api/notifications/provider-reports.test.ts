import assert from 'node:assert/strict';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { liftSuppression, listSuppressions, queueEmail, queueSms, recordReports } from '@case-platform/modules/notifications';
import twilio from 'twilio';
import { startApi, TEST_REPORT_KEYS } from '../../support/platform.ts';

const api = await startApi();
const { userId } = await api.as('smsotp');
const to = { id: userId, user_type: 'ip' as const, email_address: 'smsotp@demo.test' };
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

function post(path: string, body: string, headers: Record<string, string>) {
  return api.anonymous.call('POST', path, { body, headers });
}

function sendgrid(body: string, { at = Date.now(), key = TEST_REPORT_KEYS.privateKey, signed = body } = {}) {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createSign('sha256').update(`${timestamp}${signed}`).sign(key, 'base64');
  return post('/webhooks/sendgrid', body, {
    'content-type': 'application/json',
    'x-twilio-email-event-webhook-signature': signature,
    'x-twilio-email-event-webhook-timestamp': timestamp,
  });
}

/** Returns an event with a name and a time as SendGrid sends them. */
const named = (more: object, at = Date.now()) => {
  made += 1;
  return { sg_event_id: `event-${made}`, timestamp: Math.floor(at / 1000), ...more };
};
const event = (id: number, more: object, at = Date.now()) =>
  JSON.stringify([named({ email: 'SmsOtp@demo.test', delivery_id: String(id), sg_message_id: 'x.filter', ...more }, at)]);
const liftAll = async () => {
  const { data } = await listSuppressions(api.db);
  for (const { id } of data) await liftSuppression(api.db, id, { actor: null, origin: SYSTEM });
};

describe('[NOTIFY-10] POST /webhooks/sendgrid', () => {
  test('delivered: the delivery says so; the same report again changes nothing', async () => {
    const id = await mailed();
    const body = event(id, { event: 'delivered' });
    for (let round = 0; round < 2; round += 1) {
      assert.equal((await sendgrid(body)).status, 204);
      assert.deepEqual(await deliveryOf(id), { state: 'sent', outcome: 'delivered', error: null });
    }
    assert.deepEqual(await suppressions(), []);
  });

  test('after a bounce the delivery has failed, whatever follows, and the address gets nothing more', async () => {
    const id = await mailed();
    await sendgrid(event(id, { event: 'bounce', type: 'bounce', reason: '550 unknown' }));
    await sendgrid(event(id, { event: 'delivered' }));
    const bounced = { state: 'failed', outcome: 'bounced', error: 'The mail bounced: 550 unknown' };
    assert.deepEqual(await deliveryOf(id), bounced);
    const entry = { channel: 'email', address: 'smsotp@demo.test', reason: 'bounced', source: 'sendgrid' };
    assert.deepEqual(await suppressions(), [entry]);
    const next = await mailed();
    assert.equal((await deliveryOf(next)).state, 'suppressed');
    await api.pool.query('delete from suppression');
    assert.equal((await deliveryOf(await mailed())).state, 'sent');
  });

  test('[NOTIFY-10] a bounce that is reported before the provider has answered stays', async () => {
    const report = (id: number) => sendgrid(event(id, { event: 'bounce', type: 'bounce', reason: '550 unknown' }));
    const bounced = { state: 'failed', outcome: 'bounced', error: 'The mail bounced: 550 unknown' };
    assert.deepEqual(await deliveryOf(await mailed(report)), bounced);
  });

  test('a block passes, a complaint and an unsubscription stay; what is not about us is left out', async () => {
    const id = await mailed();
    await sendgrid(event(id, { event: 'bounce', type: 'blocked', reason: 'mailbox full' }));
    assert.deepEqual([(await deliveryOf(id)).state, (await suppressions()).length], ['failed', 0]);
    const list = [
      { email: 'a@demo.test', event: 'spamreport' },
      { email: 'b@demo.test', event: 'group_unsubscribe' },
      { email: 'c@demo.test', event: 'open' },
      { event: 'bounce' },
      { email: 5, event: 'bounce' },
      { email: 'x'.repeat(400), event: 'bounce' },
      { email: 'd\u0000@demo.test', event: 'dropped', reason: 'Unsubscribed Address' },
      // One reason is cut in the middle of a character by us, and the other one was before it arrived.
      { email: 'e@demo.test', event: 'bounce', type: 'bounce', reason: `${'x'.repeat(299)}😀` },
      { email: 'f@demo.test', event: 'bounce', type: 'bounce', reason: '\ud83d' },
      null,
      'x',
    ];
    assert.equal(
      (await sendgrid(JSON.stringify(list.map((one) => (typeof one === 'object' && one !== null ? named(one) : one))))).status,
      204,
    );
    assert.deepEqual(
      (await suppressions()).map(({ address, reason }) => [address, reason]),
      [
        ['a@demo.test', 'complained'],
        ['b@demo.test', 'unsubscribed'],
        ['d@demo.test', 'unsubscribed'],
        ['e@demo.test', 'bounced'],
        ['f@demo.test', 'bounced'],
      ],
    );
  });

  test('a report that names another address than the delivery’s does not touch it', async () => {
    const id = await mailed();
    const body = JSON.stringify([named({ email: 'other@demo.test', delivery_id: String(id), event: 'bounce', type: 'bounce' })]);
    assert.equal((await sendgrid(body)).status, 204);
    assert.equal((await deliveryOf(id)).state, 'sent');
  });

  test('a report that is repeated or older does not restore a suppression that staff have lifted', async () => {
    const id = await mailed();
    const body = event(id, { event: 'bounce', type: 'bounce' });
    await sendgrid(body);
    assert.equal((await suppressions()).length, 1);
    await liftAll();
    assert.equal((await sendgrid(body)).status, 204);
    assert.deepEqual(await suppressions(), [], 'the same report');
    await sendgrid(event(id, { event: 'bounce', type: 'bounce' }, Date.now() - 3_600_000));
    assert.deepEqual(await suppressions(), [], 'another one about the time before');
    await sendgrid(event(id, { event: 'spamreport' }, Date.now() + 60_000));
    assert.deepEqual(
      (await suppressions()).map(({ reason }) => reason),
      ['complained'],
      'what has happened since',
    );
  });

  test('one of many copies of a report counts, and reports too old, too early, without an id, or without a date do not', async () => {
    const id = await mailed();
    const address = { email: 'flood@demo.test', event: 'spamreport' };
    const wrong = [
      named(address, Date.now() - 8 * 24 * 3_600_000),
      named(address, Date.now() + 11 * 60_000),
      { ...named(address), sg_event_id: '' },
      { ...named(address), sg_event_id: 5 },
      { ...named(address), timestamp: '1' },
      { ...named(address), timestamp: 1e300 },
      { ...named(address), timestamp: -1 },
    ];
    assert.equal((await sendgrid(JSON.stringify(wrong))).status, 204);
    assert.deepEqual(await suppressions(), []);
    const { rows: before } = await api.pool.query('select count(*)::int as count from provider_report');
    const body = event(id, { event: 'bounce', type: 'bounce' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendgrid(body)));
    assert.ok(answers.every(({ status }) => status === 204));
    const { rows: after } = await api.pool.query('select count(*)::int as count from provider_report');
    assert.equal(after[0].count - before[0].count, 1);
  });

  test('of several events of a mail in any order the bounce counts, and without one the latest', async () => {
    const SECOND = 1000;
    const start = Date.now() - 60 * SECOND;
    const kinds = {
      delivered: { event: 'delivered' },
      bounced: { event: 'bounce', type: 'bounce', reason: '550 unknown' },
      blocked: { event: 'bounce', type: 'blocked', reason: 'mailbox full' },
    };
    const cases: [(keyof typeof kinds)[], string | null][] = [
      [['delivered', 'bounced'], '550 unknown'],
      [['bounced', 'delivered'], '550 unknown'],
      [['bounced', 'blocked'], 'mailbox full'],
      [['blocked', 'bounced'], '550 unknown'],
      [['delivered', 'bounced', 'delivered'], '550 unknown'],
      [['delivered', 'delivered'], null],
    ];
    for (const [order, reason] of cases)
      for (const isReversed of [false, true]) {
        await api.pool.query('delete from suppression');
        const id = await mailed();
        const events = order.map((kind, at) => JSON.parse(event(id, kinds[kind], start + at * SECOND))[0]);
        assert.equal((await sendgrid(JSON.stringify(isReversed ? events.reverse() : events))).status, 204);
        const { state, outcome, error } = await deliveryOf(id);
        const wanted = reason === null ? ['sent', 'delivered'] : ['failed', 'bounced'];
        assert.deepEqual([state, outcome], wanted, `${order} ${isReversed}`);
        assert.equal(/: (.*)$/.exec(error ?? '')?.[1] ?? null, reason, `${order} ${isReversed}`);
        assert.equal((await suppressions()).length, order.includes('bounced') ? 1 : 0, `${order} ${isReversed}`);
      }
  });

  test('of two reasons in one report the later one counts, and each address has its own', async () => {
    const id = await mailed();
    const at = Date.now() - 60_000;
    const about = (email: string, kind: object, later: number) => JSON.parse(event(id, { email, ...kind }, at + later))[0];
    const events = [
      about('one@demo.test', { event: 'spamreport' }, 2000),
      about('one@demo.test', { event: 'unsubscribe' }, 1000),
      about('two@demo.test', { event: 'unsubscribe' }, 3000),
      about('two@demo.test', { event: 'spamreport' }, 1000),
    ];
    await sendgrid(JSON.stringify(events));
    assert.deepEqual((await suppressions()).map(({ address, reason }) => [address, reason]).sort(), [
      ['one@demo.test', 'complained'],
      ['two@demo.test', 'unsubscribed'],
    ]);
  });

  test('a lifted suppression stays lifted for everything before that moment, and does not affect another channel', async () => {
    const id = await mailed();
    const lift = (channel: string, at: Date) =>
      api.pool.query(
        `insert into suppression_lift (channel, address, lifted_at) values ($1, 'smsotp@demo.test', $2)
         on conflict (channel, address) do update set lifted_at = excluded.lifted_at`,
        [channel, at],
      );
    const second = Math.floor(Date.now() / 1000) * 1000 - 60_000;
    const isTaken = async (at: number) => {
      await sendgrid(event(id, { event: 'spamreport' }, at));
      const { length } = await suppressions();
      await api.pool.query('delete from suppression');
      return length === 1;
    };
    await lift('sms', new Date(second + 30_000));
    assert.equal(await isTaken(second), true, 'a text message’s');
    for (const at of [second, second + 10_000]) {
      await lift('email', new Date(at));
      assert.deepEqual([await isTaken(at), await isTaken(at + 1000)], [false, true]);
    }
  });

  test('a report is accepted for seven days, and ten minutes ahead of our clock, to the millisecond', async () => {
    const now = new Date('2026-06-01T12:00:00Z');
    const take = async (at: number) => {
      made += 1;
      const report = { report_id: `edge-${made}`, happened_at: new Date(now.getTime() + at), delivery_id: null };
      const said = {
        provider_id: null,
        address: 'edge@demo.test',
        outcome: null,
        suppress: 'complained',
        detail: '',
      } as const;
      await recordReports(api.db, { channel: 'email', source: 'sendgrid' }, [{ ...report, ...said }], now);
      const { length } = await suppressions();
      await api.pool.query('delete from suppression');
      return length === 1;
    };
    const [WEEK, AHEAD] = [7 * 24 * 3_600_000, 10 * 60_000];
    assert.deepEqual([await take(-WEEK), await take(1 - WEEK)], [false, true]);
    assert.deepEqual([await take(AHEAD - 1), await take(AHEAD)], [true, false]);
  });

  test('a wrong key, another body, an old or future time, no signature: 401, and nothing is done', async () => {
    const id = await mailed();
    const body = event(id, { event: 'bounce', type: 'bounce' });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (const options of [
      { key: privateKey },
      { signed: '[]' },
      { at: Date.now() - 11 * 60_000 },
      { at: Date.now() + 11 * 60_000 },
    ]) {
      assert.equal((await sendgrid(body, options)).status, 401);
    }
    const json = { 'content-type': 'application/json' };
    assert.equal((await post('/webhooks/sendgrid', body, json)).status, 401);
    const nonsense = { 'x-twilio-email-event-webhook-signature': 'x', 'x-twilio-email-event-webhook-timestamp': 'now' };
    assert.equal((await post('/webhooks/sendgrid', body, { ...json, ...nonsense })).status, 401);
    assert.equal((await post('/webhooks/sendgrid', '', { ...json, ...nonsense })).status, 401);
    assert.equal((await deliveryOf(id)).state, 'sent');
  });

  test('a report that is not a list is accepted and ignored, one that is not JSON is a 422, and one too large a 413', async () => {
    assert.equal((await sendgrid('{}')).status, 204);
    assert.equal((await sendgrid('[')).status, 422);
    assert.equal((await sendgrid(`["${'x'.repeat(1024 * 1024)}"]`)).status, 413);
  });
});

const PHONE = '+12025550143';

/** Sends a text that Twilio accepts, and runs `meanwhile` before it answers. */
async function texted(meanwhile: (id: number) => Promise<unknown> = async () => {}): Promise<{ id: number; calls: number }> {
  made += 1;
  const sms = { key: `sms-${made}`, event: 'bank_account_changed' as const, to, phone: PHONE, text: 'x' };
  await api.db.transaction((tx) => queueSms(tx, sms));
  const { id } = (await api.pool.query('select max(id) as id from delivery')).rows[0];
  let calls = 0;
  const send = async () => {
    calls += 1;
    await meanwhile(id);
    return 'SM1';
  };
  await api.work({ sms: { name: 'twilio', send } });
  return { id, calls };
}

function status(form: Record<string, string>, query = '', token = TEST_REPORT_KEYS.twilioAuthToken) {
  const path = `/webhooks/twilio${query}`;
  const signature = twilio.getExpectedTwilioSignature(token, `${TEST_REPORT_KEYS.apiUrl}${path}`, form);
  return post(path, new URLSearchParams(form).toString(), {
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': signature,
  });
}

describe('[NOTIFY-10] POST /webhooks/twilio', () => {
  test('delivered and undelivered; a number that unsubscribed gets nothing more, and no provider is called', async () => {
    const { id } = await texted();
    const form = { MessageSid: 'SM1', To: PHONE, MessageStatus: 'delivered' };
    assert.equal((await status(form, `?delivery_id=${id}`)).status, 204);
    assert.equal((await deliveryOf(id)).outcome, 'delivered');
    await status({ ...form, MessageStatus: 'undelivered' }, `?delivery_id=${id}`);
    assert.deepEqual([(await deliveryOf(id)).state, (await deliveryOf(id)).outcome], ['failed', 'bounced'], 'reported later');
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

  test('a report that arrives before Twilio’s answer counts', async () => {
    await api.pool.query('delete from provider_report');
    const form = { MessageSid: 'SM1', To: PHONE, MessageStatus: 'undelivered', ErrorCode: '30003' };
    const { id } = await texted((sending) => status(form, `?delivery_id=${sending}`));
    assert.deepEqual(await deliveryOf(id), {
      state: 'failed',
      outcome: 'bounced',
      error: 'The text message did not arrive (30003)',
    });
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
