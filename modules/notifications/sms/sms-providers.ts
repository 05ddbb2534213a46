import type { Twilio } from 'twilio';
import { PermanentFailure } from '../email/outgoing-email.ts';
import { answerWords, temporaryFailure } from '../provider-answers.ts';

export interface SmsProvider {
  name: 'twilio';
  /**
   * @returns the provider's id of the message.
   * @throws {ValueError} for an invalid or unsubscribed number, which must not be retried. Any other error can be retried.
   */
  send(phone: string, text: string, about?: { delivery_id: number }): Promise<string>;
}

/** An invalid number, or a recipient who unsubscribed; retrying is pointless (SMS-2). */
export class ValueError extends PermanentFailure {
  override name = 'ValueError';
}

interface TwilioSettings {
  accountSid?: string | undefined;
  authToken?: string | undefined;
  from?: string | undefined;
  baseUrl?: string | undefined;
  /** The https address to which Twilio reports what happened to a message. */
  statusCallback?: string | undefined;
  /** The time limit for Twilio's answer; ten seconds by default. */
  giveUpAfterMs?: number;
}

const SEND_WITHIN_MS = 10_000;
const TWILIO = 'https://api.twilio.com';
/** Twilio's error codes for an invalid number, and 21610 for a recipient who unsubscribed. */
const PERMANENT = new Set([21211, 21614, 21635, 21401, 21407, 21610]);

/** Returns Twilio if it is configured, otherwise null: then nothing is sent, and development keeps the text (NOTIFY-2). */
export function createSmsProvider(settings: TwilioSettings): SmsProvider | null {
  const { accountSid, authToken, from, baseUrl } = settings;
  if (accountSid === undefined || authToken === undefined || from === undefined) return null;
  const options = { accountSid, authToken, baseUrl, giveUpAfterMs: settings.giveUpAfterMs ?? SEND_WITHIN_MS };
  // Loads the SDK with the first message, because most processes send none.
  let client: Twilio | undefined;
  return {
    name: 'twilio',
    async send(phone, text, about) {
      await requirePhoneNumber(phone);
      try {
        const report = reportTo(settings.statusCallback, about?.delivery_id);
        const { createTwilioClient } = await import('./twilio-client.ts');
        client ??= createTwilioClient(options);
        const { sid } = await client.messages.create({ to: phone, from, body: text, ...report });
        return sid;
      } catch (error) {
        const { code, status, retryAfter } = error as { code?: unknown; status?: unknown; retryAfter?: string };
        if (typeof code === 'number' && PERMANENT.has(code)) throw new ValueError(`Twilio refused the number (${code}).`);
        throw temporaryFailure(answerWords('Twilio', baseUrl ?? TWILIO, status ?? code), retryAfter);
      }
    },
  };
}

/** Twilio rejects a message with a callback address that it cannot reach, so without https there are no reports. */
function reportTo(statusCallback: string | undefined, delivery_id: number | undefined): { statusCallback?: string } {
  if (statusCallback?.startsWith('https://') !== true || delivery_id === undefined) return {};
  return { statusCallback: `${statusCallback}?delivery_id=${delivery_id}` };
}

/** @throws {ValueError} unless it is an international number (E.164) without an extension. */
export async function requirePhoneNumber(phone: string): Promise<void> {
  const { isPossiblePhoneNumber, parsePhoneNumberFromString } = await import('libphonenumber-js');
  const number = phone.startsWith('+') ? parsePhoneNumberFromString(phone) : undefined;
  if (number === undefined || number.ext !== undefined || !isPossiblePhoneNumber(phone)) {
    throw new ValueError('The phone number is not valid.');
  }
}
