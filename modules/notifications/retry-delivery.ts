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
 * Has a delivery that failed, or that was suppressed by the list, tried again, once: of two who ask at the same time one gets
 * a conflict.
 * @throws {NotFoundError} for no such delivery. @throws {ConflictError} when there is nothing to try again: it has not failed,
 *   or it held a code or a link, which are made anew instead.
 */
export async function retryDelivery(db: Database, id: number, by: ChangedBy): Promise<void> {
  await db.transaction(async (tx) => {
    const [found] = await query<Failed & { state: string }>(
      tx,
      sql`select channel, recipient, state, retry_job from delivery where id = ${id} for update`,
    );
    if (found === undefined) throw new NotFoundError();
    const { channel, recipient, retry_job } = found;
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

/** The stored job is the very payload that the channel's task was given before. */
function enqueueFor(channel: Channel) {
  return (tx: Parameters<typeof enqueue>[0], job: NonNullable<Failed['retry_job']>) => {
    if (channel === 'email') return enqueue(tx, 'deliver_email', job as EmailJob);
    if (channel === 'sms') return enqueue(tx, 'deliver_sms', job as SmsJob);
    return enqueue(tx, 'deliver_push', job as PushJob);
  };
}

/**
 * Has a job that gave up tried again.
 * @throws {NotFoundError} when it has not given up (any more).
 */
export async function retryDeadJob(db: Database, job: { id: number; task: string }, by: ChangedBy): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await reviveDeadJob(tx, job.id))) throw new NotFoundError('This job is no longer waiting.');
    await recordAudit(tx, { ...by, action: 'job.retry', subject_id: job.id, subject_label: job.task });
  });
}
