import type { Database } from '@case-platform/db';
import { beginAttempt, type EmailJob, endAttempt, endUnsent } from './deliveries.ts';
import { type EmailProvider, PermanentFailure } from './email-providers.ts';
import { renderEmail } from './render-email.ts';

/**
 * Sends one email, with no transaction open meanwhile. A permanent failure is recorded and done with; anything else is
 * thrown, and tried again, until `lastAttempt`.
 */
export async function deliverEmail(
  context: { db: Database; email: EmailProvider | null; lastAttempt: boolean; keepsContent: boolean },
  job: EmailJob,
): Promise<void> {
  const { db, email, lastAttempt } = context;
  if (!(await beginAttempt(db, job.delivery_id))) return;
  const content = await renderEmail(job.template_name, { ...job.template_context, subject_line: job.subject });
  if (email === null) {
    await endUnsent(context, job.delivery_id, content);
    return;
  }
  try {
    const provider_id = await email.send({ to: job.to, subject: job.subject, ...content });
    await endAttempt(db, job.delivery_id, { state: 'sent', provider_id });
  } catch (error) {
    const permanent = error instanceof PermanentFailure;
    const state = permanent || lastAttempt ? 'failed' : 'queued';
    await endAttempt(db, job.delivery_id, { state, error: (error as Error).message });
    if (!permanent) throw error;
  }
}
