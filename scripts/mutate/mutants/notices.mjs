import { schema, text } from './write.mjs';

const M = 'modules/notifications';
const NOTIFY = ['test/worker/notify-message.test.ts', 'test/api/notifications/subscriptions.test.ts'];
const PUSH = 'test/worker/push.test.ts';
const SMS = 'test/worker/sms.test.ts';
const EMAIL = 'test/worker/email.test.ts';
const DEVICES = 'test/api/notifications/notifications.test.ts';
const REPORTS = ['test/api/notifications/provider-reports.test.ts', 'test/api/notifications/twilio-reports.test.ts'];
const LISTS = 'modules/notifications/provider-lists.test.ts';
const ANSWERS = 'test/worker/push-answers.test.ts';
const LEFT = 'test/worker/who-has-left.test.ts';
const CHANGES = 'test/admin/deliveries/delivery-changes.test.ts';
const USER_CHANGES = 'test/admin/people/user-changes.test.ts';
const ENDPOINT = `${M}/push/push-endpoint.test.ts`;

const PERMANENT = 'new Set([21211, 21614, 21635, 21401, 21407, 21610])';

/** Mails, text messages and pushes. */
// biome-ignore format: a mutant a line
export const NOTICES = [
  ...[21211, 21614, 21635, 21401, 21407, 21610].map((code) => text(`Twilio’s ${code} is tried again`, `${M}/sms/sms-providers.ts`, PERMANENT, PERMANENT.replace(`${code}`, '1'), SMS)),
  ...['bounced', 'unsubscribed', 'spam reporting', 'invalid'].map((reason) => text(`SendGrid’s drop of “${reason}” suppresses nothing`, `${M}/email/sendgrid-reports.ts`, `/^${reason}`, `/^not ${reason}`, LISTS)),
  ...[21610, 21211, 21614, 30005, 30006].map((code) => text(`Twilio’s report ${code} suppresses nothing`, `${M}/sms/twilio-reports.ts`, `'${code}',`, `'${code}0',`, LISTS)),
  text('a marked-as-spam mail suppresses nothing', `${M}/email/sendgrid-reports.ts`, "case 'spamreport':", "case 'spam':", LISTS, REPORTS),
  text('an unsubscription suppresses nothing', `${M}/email/sendgrid-reports.ts`, "case 'unsubscribe':", "case 'unsubscribed':", LISTS, REPORTS),
  text('a group unsubscription suppresses nothing', `${M}/email/sendgrid-reports.ts`, "case 'group_unsubscribe':", "case 'group_unsubscribed':", LISTS, REPORTS),
  text('a full mailbox suppresses its address', `${M}/email/sendgrid-reports.ts`, "type === 'blocked' ? null", "type === 'none' ? null", LISTS, REPORTS),
  text('a suppressed address is written to', `${M}/deliveries.ts`, 'if (!deactivated && reason === null) return true;', 'if (!deactivated) return true;', REPORTS, CHANGES),
  text('a deactivated person is written to', `${M}/deliveries.ts`, 'if (!deactivated && reason === null) return true;', 'if (reason === null) return true;', USER_CHANGES, LEFT),
  text('codes and links are kept for later', `${M}/deliveries.ts`, 'deactivated || isSecretEvent(event) ? null', 'deactivated ? null', CHANGES),
  text('a failed link is kept for later', `${M}/deliveries.ts`, "if (state !== 'failed' || delivery === undefined || isSecretEvent(delivery.event)) return;", "if (state !== 'failed' || delivery === undefined) return;", CHANGES),
  text('a bounce is forgotten', `${M}/deliveries.ts`, "state = case when outcome = 'bounced' then state else ${state} end", 'state = ${state}', REPORTS),
  text('what is switched off is mailed', `${M}/deliveries.ts`, 'channel = ${channel} and not enabled', 'channel = ${channel} and enabled', DEVICES, PUSH, NOTIFY, ANSWERS),
  text('a refused mail is tried again', `${M}/email/deliver-email.ts`, 'permanent: error instanceof PermanentFailure', 'permanent: false', EMAIL, NOTIFY),
  text('a refused number is tried again', `${M}/sms/deliver-sms.ts`, 'permanent: error instanceof PermanentFailure', 'permanent: false', SMS),
  text('a device that is gone (404) stays', `${M}/push/deliver-push.ts`, 'answer === 404 || answer === 410', 'answer === 410', NOTIFY, ANSWERS),
  text('a device that is gone (410) stays', `${M}/push/deliver-push.ts`, 'answer === 404 || answer === 410', 'answer === 404', NOTIFY, ANSWERS),
  ...[400, 401, 403].map((status) => text(`an old key that is refused by ${status} is not renewed`, `${M}/push/deliver-push.ts`, `answer === ${status}`, 'answer === 499', PUSH, ANSWERS)),
  ...[429, 408].map((status) => text(`a push answered by ${status} is given up`, `${M}/push/deliver-push.ts`, `answer !== ${status}`, 'answer !== 499', PUSH, ANSWERS)),
  text('a device of the same address is removed with another’s', `${M}/push/deliver-push.ts`, 'where id = ${id} and endpoint = ${endpoint}`', 'where ${id} > 0 and endpoint <> ${endpoint}`', NOTIFY),
  text('a host that was taken off the list is called', `${M}/push/deliver-push.ts`, 'if (!isAllowedEndpoint(subscription.endpoint, push.allowedHosts, push.production)) {', "if (subscription.endpoint === '') {", PUSH),
  text('a plain-http push service is called', `${M}/push/push-endpoint.ts`, "listed && protocol === 'https:' && port", 'listed && port', ENDPOINT),
  text('loopback is called in production', `${M}/push/push-endpoint.ts`, 'listed && !production &&', 'listed &&', ENDPOINT),
  text('an address with a password is called', `${M}/push/push-endpoint.ts`, "username !== '' || password !== '' || ", '', ENDPOINT),
  ...['10.0.0.0', '100.64.0.0', '127.0.0.0', '169.254.0.0', '172.16.0.0', '192.168.0.0', '224.0.0.0', '198.18.0.0', '192.0.0.0', '240.0.0.0'].map((net) => text(`${net} is out on the internet`, `${M}/push/push-endpoint.ts`, `['${net}',`, "['203.0.113.0',", ENDPOINT)),
  text('IPv4 addresses inside pass as IPv6', `${M}/push/push-endpoint.ts`, 'if (mapped !== undefined) return isPublicAddress(mapped);', 'if (mapped !== undefined) return true;', ENDPOINT),
  text('any of a name’s addresses outside is enough', `${M}/push/push-endpoint.ts`, 'addresses.every(', 'addresses.some(', ENDPOINT),
  text('17 devices', `${M}/push/push-subscriptions.ts`, 'SUBSCRIPTIONS_MAX = 16', 'SUBSCRIPTIONS_MAX = 17', DEVICES),
  text('15 devices at most', `${M}/push/push-subscriptions.ts`, 'SUBSCRIPTIONS_MAX = 16', 'SUBSCRIPTIONS_MAX = 15', DEVICES),
  text('a device of somebody else is removed', `${M}/push/push-subscriptions.ts`, 'where id = ${id} and user_id = ${user.id} returning id', 'where id = ${id} and ${user.id} > 0 returning id', DEVICES),
  text('turning notifications off is for everybody', `${M}/push/push-subscriptions.ts`, 'where user_id = ${user.id} returning id', 'where ${user.id} > 0 returning id', NOTIFY),
  text('16 bytes of a key are not asked for', `${M}/push/push-subscriptions.ts`, "if (Buffer.from(auth, 'base64url').length !== 16)", "if (Buffer.from(auth, 'base64url').length === 0)", NOTIFY),
  schema('a device is there twice', 'alter table push_subscription drop constraint push_subscription_user_type_user_id_endpoint_key', NOTIFY, DEVICES),
  text('a report is taken for 11 minutes', `${M}/report-signatures.ts`, 'REPLAY_WITHIN_MS = 10 * 60_000', 'REPLAY_WITHIN_MS = 11 * 60_000', REPORTS, LISTS),
  text('a report is taken for nine minutes', `${M}/report-signatures.ts`, 'REPLAY_WITHIN_MS = 10 * 60_000', 'REPLAY_WITHIN_MS = 9 * 60_000', REPORTS, LISTS),
  text('a report about another’s address is ours', `${M}/provider-reports.ts`, 'and lower(d.recipient) = lower(r.address)', '', REPORTS),
  text('a report of any channel is ours', `${M}/provider-reports.ts`, 'join delivery d on d.channel = ${channel} and', "join delivery d on ${channel} <> '' and", REPORTS),
];
