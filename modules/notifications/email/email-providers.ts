import { mailpit } from './mailpit.ts';
import type { EmailProvider } from './outgoing-email.ts';
import { sendgrid } from './sendgrid.ts';

const SEND_WITHIN_MS = 10_000;

/**
 * Returns Mailpit if it is configured, otherwise SendGrid, otherwise null: then nothing is sent, and development keeps the mail
 * (EMAIL-1, NOTIFY-2).
 */
export function createEmailProvider(settings: {
  from: string;
  mailpitUrl?: string | undefined;
  sendgrid: {
    apiKey?: string | undefined;
    baseUrl?: string | undefined;
    templates?: Readonly<Record<string, string>> | undefined;
  };
  /** The time limit for a provider's answer; ten seconds by default. */
  giveUpAfterMs?: number;
}): EmailProvider | null {
  const { from, mailpitUrl, giveUpAfterMs = SEND_WITHIN_MS } = settings;
  if (mailpitUrl !== undefined) return mailpit(mailpitUrl, { from, giveUpAfterMs });
  const { apiKey, baseUrl, templates } = settings.sendgrid;
  return apiKey === undefined ? null : sendgrid({ apiKey, baseUrl, templates, from, giveUpAfterMs });
}
