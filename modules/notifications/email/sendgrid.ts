import { answerWords } from '../provider-answers.ts';
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
  // The SDK is loaded with the first mail: only the worker ever sends one.
  let mail: MailService | undefined;
  const sender = { email: parseSender(from).Email, name: parseSender(from).Name };
  const post = async (email: OutgoingEmail) => {
    const { createMailService } = await import('./sendgrid-client.ts');
    mail ??= createMailService({ apiKey, baseUrl, giveUpAfterMs });
    return within(giveUpAfterMs, postMail(mail, sender, email, baseUrl ?? SENDGRID));
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
    const { code } = error as { code?: unknown };
    // 400, 413: the mail itself is refused. 401 and 403 are our configuration: worth another try once it is mended.
    if (code === 400 || code === 413) throw new PermanentFailure(`SendGrid refused the mail (${code}).`);
    throw new Error(answerWords('SendGrid', address, code));
  }
}

/** The SDK's own time-out is about silence: an answer that comes by drops has to end as well. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('SendGrid answered nothing.')), milliseconds);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
