import type { Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { currentRequest } from '@case-platform/lib/request-context';
import { cleanLine } from '@case-platform/lib/text/human-text';
import { type Announcement, recordDelivery } from '../deliveries.ts';
import type { EmailEvent, TemplateOf } from '../events.ts';
import type { TemplateContext, TemplateName } from './render-email.ts';

export interface EmailJob {
  delivery_id: number;
  to: string;
  subject: string;
  template_name: TemplateName;
  template_context: TemplateContext;
  /** Mails with the same thread, such as `chain-12`, are one thread in the mailbox (EMAIL-13). */
  thread?: string;
  /** The message that it is about; the mail is only sent while its recipient may read the message (`mayStillRead`). */
  message_id?: number;
  /** The name of a template at the provider, which is preferred if `SENDGRID_TEMPLATES` maps it (EMAIL-17). */
  provider_template?: string;
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    deliver_email: EmailJob;
  }
}

export interface Email<Event extends EmailEvent> extends Announcement<Event> {
  subject: string;
  template_name: TemplateOf<Event>;
  template_context: TemplateContext;
  thread?: string;
  message_id?: number;
}

/** Records and queues one email in the caller's transaction, once per key. */
export async function queueEmail<Event extends EmailEvent>(tx: Transaction, email: Email<Event>): Promise<void> {
  const job = await recordEmail(tx, email);
  if (job !== undefined) await enqueue(tx, 'deliver_email', job);
}

/**
 * Records one email, with the provider's template if the staff page that caused it names one (EMAIL-16). Returns undefined if
 * there is nothing to deliver: a repeated key, or an event that the recipient turned off.
 */
export async function recordEmail<Event extends EmailEvent>(tx: Transaction, email: Email<Event>): Promise<EmailJob | undefined> {
  const { key, event, to, template_name, template_context, thread, message_id } = email;
  const subject = cleanLine(email.subject);
  const delivery_id = await recordDelivery(tx, {
    delivery_key: `${key}:email:${to.id}`,
    channel: 'email',
    event,
    user_id: to.id,
    recipient: to.email_address,
    subject,
  });
  if (delivery_id === undefined) return undefined;
  const provider_template = currentRequest()?.mail_templates?.[event];
  return {
    delivery_id,
    to: to.email_address,
    subject,
    template_name,
    template_context,
    ...(thread === undefined ? {} : { thread }),
    ...(message_id === undefined ? {} : { message_id }),
    ...(provider_template === undefined ? {} : { provider_template }),
  };
}
