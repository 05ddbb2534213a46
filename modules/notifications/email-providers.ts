import { mailpit } from './mailpit.ts';
import { sendgrid } from './sendgrid.ts';

export interface OutgoingEmail {
  to: string;
  subject: string;
  html: string;
  text: string;
  /** What the provider's reports about it are found by. */
  delivery_id?: number;
  /** The same mail as the provider keeps it: used where the provider has it, else `html` and `text` are. */
  template?: { id: string; data: Record<string, unknown> } | undefined;
}

/** Somewhere that takes an email. Throws `PermanentFailure` for what will never work, anything else may be tried again. */
export interface EmailProvider {
  name: 'mailpit' | 'sendgrid';
  /** @returns the provider's own id of the mail. */
  send(email: OutgoingEmail): Promise<string>;
}

/** A delivery that is pointless to repeat. */
export class PermanentFailure extends Error {
  override name = 'PermanentFailure';
}

/** After this long a provider that does not answer is given up. */
export const SEND_WITHIN_MS = 10_000;

/** Mailpit when it is configured, else SendGrid when that is, else none: then nothing is sent and development keeps it. */
export function createEmailProvider(settings: {
  from: string;
  mailpitUrl?: string | undefined;
  sendgrid: { apiKey?: string | undefined; baseUrl?: string | undefined };
}): EmailProvider | null {
  if (settings.mailpitUrl !== undefined) return mailpit(settings.mailpitUrl, settings.from);
  if (settings.sendgrid.apiKey !== undefined) {
    return sendgrid({ apiKey: settings.sendgrid.apiKey, baseUrl: settings.sendgrid.baseUrl, from: settings.from });
  }
  return null;
}

/** `Name <address>` or a bare address. */
export function parseSender(from: string): { Email: string; Name: string } {
  const found = /^(.*)<([^>]+)>\s*$/.exec(from);
  return found === null ? { Email: from.trim(), Name: '' } : { Email: found[2] ?? '', Name: (found[1] ?? '').trim() };
}
