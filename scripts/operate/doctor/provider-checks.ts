import { createECDH } from 'node:crypto';
import type { Config } from '@case-platform/lib/config';
import { isContact } from '@case-platform/lib/config/production-problems';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const ANSWER_WITHIN_MS = 10_000;

/** Checks that the mail provider accepts our key. Nothing is sent. */
export async function checkMail({ sendgrid, mailpitUrl, production }: Config): Promise<Finding> {
  if (mailpitUrl !== undefined) return checkAnswer('mail', 'Mailpit', `${mailpitUrl}/api/v1/info`, {});
  if (sendgrid.apiKey === undefined) {
    if (!production) return ok('mail', 'No provider: emails are not sent, and shown under Deliveries.');
    return warn('mail', 'No provider: no email is sent.', 'Set SENDGRID_API_KEY and EMAIL_FROM.');
  }
  const base = sendgrid.baseUrl ?? 'https://api.sendgrid.com';
  return checkAnswer('mail', 'SendGrid', `${base}/v3/scopes`, { authorization: `Bearer ${sendgrid.apiKey}` });
}

/** Checks that the provider of text messages accepts our account. Nothing is sent. */
export async function checkSms({ twilio }: Config): Promise<Finding> {
  const { accountSid, authToken, baseUrl = 'https://api.twilio.com' } = twilio;
  if (accountSid === undefined || authToken === undefined)
    return warn(
      'sms',
      'No provider: sign-in codes cannot be sent as text messages.',
      'Set the TWILIO_ settings if people should get codes by text message.',
    );
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  return checkAnswer('sms', 'Twilio', `${baseUrl}/2010-04-01/Accounts/${accountSid}.json`, { authorization });
}

async function checkAnswer(
  check: 'mail' | 'sms',
  provider: string,
  url: string,
  headers: Record<string, string>,
): Promise<Finding> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    await answer.body?.cancel();
    if (answer.ok) return ok(check, `${provider} accepts our key.`);
    return fail(check, `${provider} answered ${answer.status}.`, 'Check the key and its permissions.');
  } catch (error) {
    return fail(check, `${provider} cannot be reached: ${reasonOf(error)}.`, 'Check the outgoing connections of this network.');
  }
}

/** Checks that the two halves of the push key belong together. */
export function checkVapid({ vapid }: Config): Finding {
  const advice = 'Make a new pair (`npx web-push generate-vapid-keys`) and keep this one as the previous pair.';
  try {
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(Buffer.from(vapid.privateKey, 'base64url'));
    if (pair.getPublicKey('base64url') !== vapid.publicKey)
      return fail('vapid', 'The public key does not belong to the private one.', advice);
    if (!isContact(vapid.subject))
      return warn(
        'vapid',
        `Apple rejects pushes from ${vapid.subject}.`,
        'Set VAPID_SUBJECT to mailto:name@domain of a public host.',
      );
    return ok('vapid', 'The pair belongs together.');
  } catch {
    return fail('vapid', 'The keys are not a valid pair.', advice);
  }
}
