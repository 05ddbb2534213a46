import type { Database } from '@case-platform/db';
import { beginAttempt, endAttempt, endUnsent, type SmsJob } from './deliveries.ts';
import { PermanentFailure } from './email-providers.ts';
import { checkPhone, type SmsProvider } from './sms-providers.ts';

/** Sends one text message, with no transaction open meanwhile. An invalid or unsubscribed number is final. */
export async function deliverSms(
  context: { db: Database; sms: SmsProvider | null; lastAttempt: boolean; keepsContent: boolean },
  job: SmsJob,
): Promise<void> {
  const { db, sms, lastAttempt } = context;
  if (!(await beginAttempt(db, job.delivery_id))) return;
  try {
    checkPhone(job.phone);
    if (sms === null) {
      await endUnsent(context, job.delivery_id, { text: job.text });
      return;
    }
    const provider_id = await sms.send(job.phone, job.text);
    await endAttempt(db, job.delivery_id, { state: 'sent', provider_id });
  } catch (error) {
    const permanent = error instanceof PermanentFailure;
    const state = permanent || lastAttempt ? 'failed' : 'queued';
    await endAttempt(db, job.delivery_id, { state, error: (error as Error).message });
    if (!permanent) throw error;
  }
}
