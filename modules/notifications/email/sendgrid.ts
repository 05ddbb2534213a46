import { answerWords, temporaryFailure } from '../provider-answers.ts';
import { type EmailProvider, type OutgoingEmail, PermanentFailure, parseSender } from './outgoing-email.ts';
import type { MailService } from './sendgrid-client.ts';

const SENDGRID = 'https://api.sendgrid.com';

interface SendGridSettings {
  apiKey: string;
  baseUrl?: string | undefined;
  from: string;
  giveUpAfterMs: number;
}

/** SendGrid by its own SDK. Each mail carries its delivery's id, which comes back with the reports about it. */
export function sendgrid({ apiKey, baseUrl, from, giveUpAfterMs }: SendGridSettings): EmailProvider {
  const sender = { email: parseSender(from).Email, name: parseSender(from).Name };
  const post = async (email: OutgoingEmail) => {
    // The SDK is loaded with the first mail: only the worker ever sends one.
    const { createMailService } = await import('./sendgrid-client.ts');
    const service = createMailService({ apiKey, baseUrl, giveUpAfterMs });
    return postMail(service, sender, email, baseUrl ?? SENDGRID);
  };
  /** Templates that the account does not have: asked for once, until this process ends. */
  const missing = new Set<string>();
  return {
    name: 'sendgrid',
    async send(email) {
      const { template } = email;
      const own = { ...email, template: undefined };
      if (template === undefined || missing.has(template.id)) return post(own);
      try {
        return await post(email);
      } catch (error) {
        if (!(error instanceof PermanentFailure)) throw error;
        // Our own text goes out instead of nothing; where that is taken, it was the template that was refused.
        const id = await post(own);
        missing.add(template.id);
        return id;
      }
    },
  };
}

/**
 * Whatever the account's own settings say: a link that opens an account is nobody else's to read or to rewrite, and the
 * provider's own way to unsubscribe would stand in the place of ours.
 */
const UNTRACKED = {
  trackingSettings: {
    clickTracking: { enable: false, enableText: false },
    openTracking: { enable: false },
    subscriptionTracking: { enable: false },
  },
};

type Sender = { email: string; name: string };

async function postMail(mail: MailService, from: Sender, email: OutgoingEmail, address: string): Promise<string> {
  const { to, subject, html, text, headers = {}, delivery_id, template } = email;
  const content =
    template === undefined ? { html, text } : { templateId: template.id, dynamicTemplateData: template.data };
  const customArgs = delivery_id === undefined ? {} : { customArgs: { delivery_id: String(delivery_id) } };
  try {
    const [response] = await mail.send({
      to,
      from,
      subject,
      headers: { ...headers },
      ...UNTRACKED,
      ...content,
      ...customArgs,
    });
    return String(response.headers['x-message-id'] ?? '');
  } catch (error) {
    const { code, response } = error as Refusal;
    const status = typeof code === 'number' ? code : response?.status;
    // 400 and 413 refuse the mail itself. 401 and 403 are about our configuration, so another try makes sense once it is fixed.
    if (status === 400 || status === 413) throw new PermanentFailure(`SendGrid refused the mail (${status}).`);
    throw temporaryFailure(answerWords('SendGrid', address, status ?? code), waitIn(response?.headers));
  }
}

/** An error of the SDK, whose `code` is the status of a refusal, or an error of its HTTP client, for example after a redirect. */
interface Refusal {
  code?: unknown;
  response?: { status?: number; headers?: Record<string, string | undefined> };
}

/** SendGrid's rate limits name the second of their end instead of sending `Retry-After` ("Rate limits" of its API reference). */
function waitIn(headers: Record<string, string | undefined> = {}): string | undefined {
  const { 'retry-after': retryAfter, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } = headers;
  if (retryAfter !== undefined || remaining !== '0') return retryAfter;
  return String(Math.ceil(Number(reset) - Date.now() / 1000));
}
