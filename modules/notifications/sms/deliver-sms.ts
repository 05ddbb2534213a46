import type { Database } from '@case-platform/lib/database';
import { beginAttempt, endAttempt, endFailure, endUnsent } from '../deliveries.ts';
import { PermanentFailure } from '../email/outgoing-email.ts';
import type { SmsJob } from './queue-sms.ts';
import { requirePhoneNumber, type SmsProvider } from './sms-providers.ts';

/** Sends one text message outside of any transaction. A failure for an invalid or unsubscribed number is final (SMS-2). */
export async function deliverSms(
  context: { db: Database; sms: SmsProvider | null; lastAttempt: boolean; keepsContent: boolean },
  job: SmsJob,
): Promise<void> {
  const { db, sms } = context;
  if (!(await beginAttempt(db, job))) return;
  try {
    await requirePhoneNumber(job.phone);
    if (sms === null) {
      await endUnsent(context, job, { text: job.text });
      return;
    }
    const provider_id = await sms.send(job.phone, job.text, { delivery_id: job.delivery_id });
    await endAttempt(db, job, { state: 'sent', provider_id });
  } catch (error) {
    await endFailure(context, job, { error: error as Error, permanent: error instanceof PermanentFailure });
  }
}
