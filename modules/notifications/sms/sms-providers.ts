import type { Twilio } from 'twilio';
import { PermanentFailure } from '../email/outgoing-email.ts';
import { answerWords, temporaryFailure } from '../provider-answers.ts';

/** Sends a text message: a number and a text (SMS-1). */
export interface SmsProvider {
  name: 'twilio';
  /**
   * @returns the provider's own id of the message.
   * @throws {ValueError} for a number that is invalid or unsubscribed: do not retry. Anything else may be tried again.
   */
  send(phone: string, text: string, about?: { delivery_id: number }): Promise<string>;
}

/** A failure that is pointless to retry: an invalid number, or a recipient who unsubscribed (SMS-2). */
export class ValueError extends PermanentFailure {
  override name = 'ValueError';
}

interface TwilioSettings {
  accountSid?: string | undefined;
  authToken?: string | undefined;
  from?: string | undefined;
  baseUrl?: string | undefined;
  /** Where Twilio reports what became of a message: an https address that it can reach. */
  statusCallback?: string | undefined;
  /** After this long Twilio is given up: ten seconds unless said otherwise. */
  giveUpAfterMs?: number;
}

const SEND_WITHIN_MS = 10_000;
const TWILIO = 'https://api.twilio.com';
/** Twilio's error codes: 21211, 21614, 21635, 21401, 21407 the number is invalid, 21610 the recipient unsubscribed. */
const PERMANENT = new Set([21211, 21614, 21635, 21401, 21407, 21610]);

/** Twilio where it is configured, else none: then nothing is sent and development keeps the text. */
export function createSmsProvider(settings: TwilioSettings): SmsProvider | null {
  const { accountSid, authToken, from, baseUrl } = settings;
  if (accountSid === undefined || authToken === undefined || from === undefined) return null;
  const options = { accountSid, authToken, baseUrl, giveUpAfterMs: settings.giveUpAfterMs ?? SEND_WITHIN_MS };
  // The SDK is loaded with the first message: the layers that send none do without it.
  let client: Twilio | undefined;
  return {
    name: 'twilio',
    async send(phone, text, about) {
      await checkPhone(phone);
      try {
        const report = reportTo(settings.statusCallback, about?.delivery_id);
        const { createTwilioClient } = await import('./twilio-client.ts');
        client ??= createTwilioClient(options);
        const { sid } = await client.messages.create({ to: phone, from, body: text, ...report });
        return sid;
      } catch (error) {
        const { code, status, retryAfter } = error as { code?: unknown; status?: unknown; retryAfter?: string };
        if (typeof code === 'number' && PERMANENT.has(code))
          throw new ValueError(`Twilio refused the number (${code}).`);
        throw temporaryFailure(answerWords('Twilio', baseUrl ?? TWILIO, status ?? code), retryAfter);
      }
    },
  };
}

/** Twilio calls nothing that it cannot reach, and refuses a message that asks it to: no address, no reports. */
function reportTo(statusCallback: string | undefined, delivery_id: number | undefined): { statusCallback?: string } {
  if (statusCallback?.startsWith('https://') !== true || delivery_id === undefined) return {};
  return { statusCallback: `${statusCallback}?delivery_id=${delivery_id}` };
}

/** @throws {ValueError} unless it is an international number (E.164) without an extension. */
export async function checkPhone(phone: string): Promise<void> {
  const { isPossiblePhoneNumber, parsePhoneNumberFromString } = await import('libphonenumber-js');
  const parsed = phone.startsWith('+') ? parsePhoneNumberFromString(phone) : undefined;
  if (parsed === undefined || parsed.ext !== undefined || !isPossiblePhoneNumber(phone)) {
    throw new ValueError('The phone number is not valid.');
  }
}
