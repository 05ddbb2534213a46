import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { readSendGridEvents } from './email/sendgrid-reports.ts';
import { isSignedBySendGrid } from './report-signatures.ts';
import { readTwilioStatus } from './sms/twilio-reports.ts';

/** Tests every word and code of the providers' lists, because losing one would mean writing to people against their will. */

const address = 'somebody@demo.test';
/** A SendGrid report without its event. */
const report = { email: address, sg_event_id: 'event-1', timestamp: 1_763_913_600 };
const suppresses = (event: object) => readSendGridEvents([{ ...report, ...event }])[0]?.suppress;

test('[NOTIFY-7] an address that SendGrid drops is suppressed with the reason', () => {
  const reasons: [string, string | null][] = [
    ['Bounced Address', 'bounced'],
    ['Unsubscribed Address', 'unsubscribed'],
    ['Spam Reporting Address', 'complained'],
    ['Invalid', 'invalid'],
    ['Invalid SMTPAPI header', 'invalid'],
    ['Recipient List over Package Quota', null],
    ['', null],
  ];
  for (const [reason, wanted] of reasons) assert.equal(suppresses({ event: 'dropped', reason }), wanted, reason);
});

test('[NOTIFY-7] SendGrid complaints and unsubscriptions suppress an address, and other events do not', () => {
  assert.equal(suppresses({ event: 'spamreport' }), 'complained');
  assert.equal(suppresses({ event: 'unsubscribe' }), 'unsubscribed');
  assert.equal(suppresses({ event: 'group_unsubscribe' }), 'unsubscribed');
  assert.equal(suppresses({ event: 'bounce', type: 'bounce' }), 'bounced');
  assert.equal(suppresses({ event: 'bounce', type: 'blocked' }), null);
  assert.equal(suppresses({ event: 'delivered' }), null);
  for (const event of ['processed', 'deferred', 'open', 'click', 'group_resubscribe', ''])
    assert.deepEqual(readSendGridEvents([{ ...report, event }]), [], event);
});

test('[NOTIFY-7] Twilio codes about the number suppress it, and others do not', () => {
  const suppress = (ErrorCode: string) =>
    readTwilioStatus({ MessageStatus: 'undelivered', To: '+12025550143', MessageSid: 'SM1', ErrorCode }, {})?.suppress;
  assert.equal(suppress('21610'), 'unsubscribed');
  for (const code of ['21211', '21614', '30005', '30006']) assert.equal(suppress(code), 'invalid', code);
  for (const code of ['', '30001', '30003', '30008', 'constructor']) assert.equal(suppress(code), null, code);
});

test('[NOTIFY-10] of Twilio’s states only those that are final count, each as what became of the message', () => {
  const outcome = (MessageStatus: string) =>
    readTwilioStatus({ MessageStatus, To: '+12025550143', MessageSid: 'SM1' }, {})?.outcome ?? null;
  assert.equal(outcome('delivered'), 'delivered');
  for (const state of ['undelivered', 'failed']) assert.equal(outcome(state), 'bounced', state);
  for (const state of ['accepted', 'scheduled', 'queued', 'sending', 'sent', 'canceled', 'received', 'read', ''])
    assert.equal(outcome(state), null, state);
});

test('[NOTIFY-10] a report names its delivery by our id, or by the part of SendGrid’s id that the mail got', () => {
  const idsOf = (more: object) => {
    const [read] = readSendGridEvents([{ ...report, event: 'delivered', ...more }]);
    return [read?.delivery_id, read?.provider_id];
  };
  assert.deepEqual(idsOf({ delivery_id: '12', sg_message_id: 'abc.recvd-1' }), [12, 'abc']);
  assert.deepEqual(idsOf({ sg_message_id: 'abc' }), [null, 'abc']);
  for (const delivery_id of ['', '0', '012', '-1', '1.5', 'x', 12])
    assert.deepEqual(idsOf({ delivery_id }), [null, null], `${delivery_id}`);
});

test('[NOTIFY-10] a signed report is accepted for ten minutes on either side', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const now = new Date('2026-11-23T16:00:00Z');
  const isTaken = (seconds: number) => {
    const timestamp = String(now.getTime() / 1000 + seconds);
    const body = Buffer.from('[]');
    const signature = sign('sha256', Buffer.concat([Buffer.from(timestamp), body]), privateKey).toString('base64');
    return isSignedBySendGrid(key, { signature, timestamp, body }, now);
  };
  assert.deepEqual([-601, -600, 0, 600, 601].map(isTaken), [false, true, true, true, false]);
});
