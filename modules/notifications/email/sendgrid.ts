import { answerWords, temporaryFailure } from '../provider-answers.ts';
import { type EmailProvider, type OutgoingEmail, PermanentFailure, parseSender } from './outgoing-email.ts';
import type { MailService } from './sendgrid-client.ts';

const SENDGRID = 'https://api.sendgrid.com';

interface SendGridSettings {
  apiKey: string;
  baseUrl?: string | undefined;
  from: string;
  giveUpAfterMs: number;
  /** The account's template for each name that a staff page uses (EMAIL-17). */
  templates?: Readonly<Record<string, string>> | undefined;
}

/** Sends with SendGrid's SDK. Each mail carries the id of its delivery, which the reports about it repeat. */
export function sendgrid({ apiKey, baseUrl, from, giveUpAfterMs, templates = {} }: SendGridSettings): EmailProvider {
  const sender = { email: parseSender(from).Email, name: parseSender(from).Name };
  const post = async (email: OutgoingEmail, templateId?: string) => {
    // Loads the SDK with the first mail, because only the worker sends mail.
    const { createMailService } = await import('./sendgrid-client.ts');
    const service = createMailService({ apiKey, baseUrl, giveUpAfterMs });
    return postMail(service, sender, { email, templateId }, baseUrl ?? SENDGRID);
  };
  /** Templates that the account turned out not to have; tried only once per process. */
  const missing = new Set<string>();
  return {
    name: 'sendgrid',
    async send(email) {
      const { name = '' } = email.template ?? {};
      const templateId = Object.hasOwn(templates, name) ? templates[name] : undefined;
      if (templateId === undefined || missing.has(templateId)) return post(email);
      try {
        return await post(email, templateId);
      } catch (error) {
        if (!(error instanceof PermanentFailure)) throw error;
        // Sends our own content instead. If SendGrid accepts that, the template was the reason for the rejection.
        const id = await post(email);
        missing.add(templateId);
        return id;
      }
    },
  };
}

/**
 * Overrides the account's settings (EMAIL-18): no one else may read or rewrite a link that opens an account, and SendGrid's
 * unsubscribe link would replace ours.
 */
const UNTRACKED = {
  trackingSettings: {
    clickTracking: { enable: false, enableText: false },
    openTracking: { enable: false },
    subscriptionTracking: { enable: false },
  },
};

type Sender = { email: string; name: string };

interface ProviderEmail {
  email: OutgoingEmail;
  /** The account's template, if its content is sent instead of ours. */
  templateId: string | undefined;
}

async function postMail(mail: MailService, from: Sender, { email, templateId }: ProviderEmail, address: string): Promise<string> {
  const { to, subject, html, text, headers = {}, delivery_id, template } = email;
  const content = templateId === undefined ? { html, text } : { templateId, dynamicTemplateData: template?.data ?? {} };
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
    // 400 and 413 are about the mail itself. 401 and 403 are about our configuration, so another attempt may work once it is
    // fixed.
    if (status === 400 || status === 413) throw new PermanentFailure(`SendGrid refused the mail (${status}).`);
    throw temporaryFailure(answerWords('SendGrid', address, status ?? code), waitIn(response?.headers));
  }
}

/** An error of the SDK, whose `code` is the response status, or of its HTTP client, for example after a redirect. */
interface Refusal {
  code?: unknown;
  response?: { status?: number; headers?: Record<string, string | undefined> };
}

/** SendGrid's rate limits name the time when they end instead of sending `Retry-After` ("Rate limits" in its API reference). */
function waitIn(headers: Record<string, string | undefined> = {}): string | undefined {
  const { 'retry-after': retryAfter, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } = headers;
  if (retryAfter !== undefined || remaining !== '0') return retryAfter;
  return String(Math.ceil(Number(reset) - Date.now() / 1000));
}
