import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { reviveDeadJob } from '@case-platform/lib/jobs/dead-jobs';
import { query, sql } from '@case-platform/lib/sql';
import type { EmailJob } from './email/queue-email.ts';
import type { Channel } from './events.ts';
import type { PushJob } from './push/queue-push.ts';
import type { SmsJob } from './sms/queue-sms.ts';

interface Failed {
  channel: Channel;
  recipient: string;
  retry_job: EmailJob | SmsJob | PushJob | null;
}

/**
 * Queues a failed or suppressed delivery again, once: of two calls at the same time one gets a conflict (NOTIFY-6).
 * @throws {NotFoundError} for an unknown delivery. @throws {ConflictError} if there is nothing to retry: it has not failed, or it
 * contained a code or link, which has to be created again.
 */
export async function retryDelivery(db: Database, id: number, by: ChangedBy): Promise<void> {
  await db.transaction(async (tx) => {
    const [delivery] = await query<Failed & { state: string }>(
      tx,
      sql`select channel, recipient, state, retry_job from delivery where id = ${id} for update`,
    );
    if (delivery === undefined) throw new NotFoundError();
    const { channel, recipient, retry_job } = delivery;
    if (retry_job === null) throw new ConflictError('There’s nothing to try again.', 'not_retryable');
    await query(
      tx,
      sql`update delivery set state = 'queued', error = null, outcome = null, outcome_at = null, retry_job = null
           where id = ${id}`,
    );
    await enqueueFor(channel)(tx, retry_job);
    await recordAudit(tx, { ...by, action: 'delivery.retry', subject_id: id, subject_label: recipient });
  });
}

/** `retry_job` is the original payload of the channel's task. */
function enqueueFor(channel: Channel) {
  return (tx: Parameters<typeof enqueue>[0], job: NonNullable<Failed['retry_job']>) => {
    if (channel === 'email') return enqueue(tx, 'deliver_email', job as EmailJob);
    if (channel === 'sms') return enqueue(tx, 'deliver_sms', job as SmsJob);
    return enqueue(tx, 'deliver_push', job as PushJob);
  };
}

/**
 * Queues a job again that failed for good.
 * @throws {NotFoundError} if it is not waiting to be retried.
 */
export async function retryDeadJob(db: Database, job: { id: number; task: string }, by: ChangedBy): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await reviveDeadJob(tx, job.id))) throw new NotFoundError('This job is no longer waiting.');
    await recordAudit(tx, { ...by, action: 'job.retry', subject_id: job.id, subject_label: job.task });
  });
}
