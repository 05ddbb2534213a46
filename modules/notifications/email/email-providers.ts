import { mailpit } from './mailpit.ts';
import type { EmailProvider } from './outgoing-email.ts';
import { sendgrid } from './sendgrid.ts';

const SEND_WITHIN_MS = 10_000;

/** Mailpit when it is configured, else SendGrid when that is, else none: then nothing is sent and development keeps it. */
export function createEmailProvider(settings: {
  from: string;
  mailpitUrl?: string | undefined;
  sendgrid: { apiKey?: string | undefined; baseUrl?: string | undefined };
  /** After this long a provider that does not answer is given up: ten seconds unless said otherwise. */
  giveUpAfterMs?: number;
}): EmailProvider | null {
  const { from, mailpitUrl, giveUpAfterMs = SEND_WITHIN_MS } = settings;
  if (mailpitUrl !== undefined) return mailpit(mailpitUrl, { from, giveUpAfterMs });
  if (settings.sendgrid.apiKey !== undefined) {
    return sendgrid({ apiKey: settings.sendgrid.apiKey, baseUrl: settings.sendgrid.baseUrl, from, giveUpAfterMs });
  }
  return null;
}
