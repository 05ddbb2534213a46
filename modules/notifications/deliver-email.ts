import type { Database } from '@case-platform/db';
import { beginAttempt, endAttempt, endFailure, endUnsent } from './deliveries.ts';
import { type EmailProvider, PermanentFailure } from './email-providers.ts';
import type { EmailJob } from './queue-email.ts';
import { renderEmail } from './render-email.ts';

/**
 * Sends one email, with no transaction open meanwhile. A permanent failure is recorded and done with; anything else is
 * thrown, and tried again, until `lastAttempt`.
 */
export async function deliverEmail(
  context: { db: Database; email: EmailProvider | null; lastAttempt: boolean; keepsContent: boolean },
  job: EmailJob,
): Promise<void> {
  const { db, email } = context;
  if (!(await beginAttempt(db, job))) return;
  const { delivery_id, to, subject, template_name, template_context, provider_template_id: template_id } = job;
  try {
    const content = await renderEmail(template_name, { ...template_context, subject_line: subject });
    if (email === null) {
      await endUnsent(context, job, content);
      return;
    }
    const template =
      template_id === undefined ? undefined : { id: template_id, data: { ...template_context, subject } };
    const provider_id = await email.send({ to, subject, ...content, delivery_id, template });
    await endAttempt(db, job, { state: 'sent', provider_id });
  } catch (error) {
    await endFailure(context, job, { error: error as Error, permanent: error instanceof PermanentFailure });
  }
}
