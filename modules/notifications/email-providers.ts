import { Client } from '@sendgrid/client';
import { MailService } from '@sendgrid/mail';

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

const SEND_WITHIN_MS = 10_000;

/** Mailpit when it is configured, else SendGrid when that is, else none: then nothing is sent and development keeps it. */
export function createEmailProvider(settings: {
  from: string;
  mailpitUrl?: string | undefined;
  sendgrid: { apiKey?: string | undefined; baseUrl?: string | undefined };
}): EmailProvider | null {
  if (settings.mailpitUrl !== undefined) return mailpit(settings.mailpitUrl, settings.from);
  if (settings.sendgrid.apiKey !== undefined) {
    return sendgrid(settings.sendgrid.apiKey, settings.sendgrid.baseUrl, settings.from);
  }
  return null;
}

/** `Name <address>` or a bare address. */
export function parseSender(from: string): { Email: string; Name: string } {
  const found = /^(.*)<([^>]+)>\s*$/.exec(from);
  return found === null ? { Email: from.trim(), Name: '' } : { Email: found[2] ?? '', Name: (found[1] ?? '').trim() };
}

function mailpit(baseUrl: string, from: string): EmailProvider {
  return {
    name: 'mailpit',
    async send({ to, subject, html, text }) {
      const response = await fetch(new URL('/api/v1/send', baseUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          From: parseSender(from),
          To: [{ Email: to }],
          Subject: subject,
          HTML: html,
          Text: text,
        }),
        signal: AbortSignal.timeout(SEND_WITHIN_MS),
      });
      const answer = await response.text();
      if (response.status === 400) throw new PermanentFailure(`Mailpit refused the mail: ${answer.slice(0, 200)}`);
      if (!response.ok) throw new Error(`Mailpit answered ${response.status}.`);
      return String((JSON.parse(answer) as { ID?: unknown }).ID ?? '');
    },
  };
}

function sendgrid(apiKey: string, baseUrl: string | undefined, from: string): EmailProvider {
  const client = new Client();
  client.setApiKey(apiKey);
  if (baseUrl !== undefined) client.setDefaultRequest('baseUrl', `${baseUrl.replace(/\/+$/, '')}/`);
  const mail = new MailService();
  mail.setClient(client);
  const { Email, Name } = parseSender(from);
  return {
    name: 'sendgrid',
    async send({ to, subject, html, text }) {
      try {
        const [response] = await within(
          SEND_WITHIN_MS,
          mail.send({ to, from: { email: Email, name: Name }, subject, html, text }),
        );
        return String(response.headers['x-message-id'] ?? '');
      } catch (error) {
        const { code } = error as { code?: unknown };
        // 400, 413: the mail itself is refused. 401 and 403 are our configuration: worth another try once it is mended.
        if (code === 400 || code === 413) throw new PermanentFailure(`SendGrid refused the mail (${code}).`);
        throw new Error(`SendGrid answered ${typeof code === 'number' ? code : 'nothing'}.`);
      }
    },
  };
}

/** Gives up waiting for a client that has no time-out of its own. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
