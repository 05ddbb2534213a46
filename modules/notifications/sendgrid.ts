import { Client } from '@sendgrid/client';
import { MailService } from '@sendgrid/mail';
import {
  type EmailProvider,
  type OutgoingEmail,
  PermanentFailure,
  parseSender,
  SEND_WITHIN_MS,
} from './email-providers.ts';

interface SendGridSettings {
  apiKey: string;
  baseUrl?: string | undefined;
  from: string;
}

/** SendGrid by its own SDK. Each mail carries its delivery's id, which comes back with the reports about it. */
export function sendgrid({ apiKey, baseUrl, from }: SendGridSettings): EmailProvider {
  const client = new Client();
  client.setApiKey(apiKey);
  if (baseUrl !== undefined) client.setDefaultRequest('baseUrl', `${baseUrl.replace(/\/+$/, '')}/`);
  const mail = new MailService();
  mail.setClient(client);
  const sender = { email: parseSender(from).Email, name: parseSender(from).Name };
  const post = (email: OutgoingEmail) => postMail(mail, sender, email);
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

type Sender = { email: string; name: string };

async function postMail(mail: MailService, from: Sender, email: OutgoingEmail): Promise<string> {
  const { to, subject, html, text, delivery_id, template } = email;
  const content =
    template === undefined ? { html, text } : { templateId: template.id, dynamicTemplateData: template.data };
  const customArgs = delivery_id === undefined ? {} : { customArgs: { delivery_id: String(delivery_id) } };
  try {
    const [response] = await within(SEND_WITHIN_MS, mail.send({ to, from, subject, ...content, ...customArgs }));
    return String(response.headers['x-message-id'] ?? '');
  } catch (error) {
    const { code } = error as { code?: unknown };
    // 400, 413: the mail itself is refused. 401 and 403 are our configuration: worth another try once it is mended.
    if (code === 400 || code === 413) throw new PermanentFailure(`SendGrid refused the mail (${code}).`);
    throw new Error(`SendGrid answered ${typeof code === 'number' ? code : 'nothing'}.`);
  }
}

/** Gives up waiting for a client that may have no time-out of its own. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
