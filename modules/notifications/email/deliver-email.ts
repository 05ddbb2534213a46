import type { Database } from '@case-platform/lib/database';
import { type Sql, sql } from '@case-platform/lib/sql';
import { withoutLinks } from '@case-platform/lib/text/human-text';
import { beginAttempt, endAttempt, endFailure, endUnsent } from '../deliveries.ts';
import { type MailAddresses, mailHeaders } from './mail-headers.ts';
import { type EmailProvider, PermanentFailure } from './outgoing-email.ts';
import type { EmailJob } from './queue-email.ts';
import { renderEmail, withoutLinkedValues } from './render-email.ts';
import { issueUnsubscribeToken, UNSUBSCRIBE_PATH } from './unsubscribe.ts';

export interface EmailContext extends MailAddresses {
  db: Database;
  email: EmailProvider | null;
  /** True in development, where content is kept for reading if no provider is configured (NOTIFY-2). */
  keepsContent: boolean;
}

/**
 * Sends one email outside of any transaction. A permanent failure is recorded and ends the job; any other failure is thrown, so
 * that the job runs again, until `lastAttempt`.
 * @param mayRead a condition on `delivery d`: its recipient may still read what it is about.
 */
export async function deliverEmail(
  context: EmailContext & { lastAttempt: boolean },
  job: EmailJob,
  mayRead: Sql = sql`true`,
): Promise<void> {
  const { db, email, webUrl } = context;
  if (!(await beginAttempt(db, job, mayRead))) return;
  const { delivery_id, to, template_name, template_context, provider_template } = job;
  const subject = withoutLinks(job.subject);
  try {
    const unsubscribeUrl = await unsubscribeUrlOf(context, delivery_id);
    const rendering = { ...template_context, subject_line: subject, unsubscribe_url: unsubscribeUrl };
    const content = await renderEmail(template_name, rendering);
    if (email === null) {
      await endUnsent(context, job, content);
      return;
    }
    const headers = mailHeaders(job, { webUrl, unsubscribeUrl });
    const data = withoutLinkedValues({ ...template_context, subject, unsubscribe_url: unsubscribeUrl });
    const template = provider_template === undefined ? undefined : { name: provider_template, data };
    const provider_id = await email.send({ to, subject, ...content, headers, delivery_id, template });
    await endAttempt(db, job, { state: 'sent', provider_id });
  } catch (error) {
    await endFailure(context, job, { error: error as Error, permanent: error instanceof PermanentFailure });
  }
}

async function unsubscribeUrlOf({ db, apiUrl }: EmailContext, delivery_id: number): Promise<string | null> {
  const token = await issueUnsubscribeToken(db, delivery_id);
  return token === null ? null : `${apiUrl}${UNSUBSCRIBE_PATH}?token=${token}`;
}
