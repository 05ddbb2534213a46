import type { Executor, Transaction } from '@case-platform/lib/database';
import { enqueue, RetryLaterError } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import type { DeliveryState } from '../deliveries.ts';
import type { EmailEvent } from '../events.ts';
import { deliverEmail, type EmailContext } from './deliver-email.ts';
import { type Email, type EmailJob, queueEmail, recordEmail } from './queue-email.ts';

interface InBackground {
  run_in_background: true;
  background_tasks: Transaction;
}
interface AtOnce {
  run_in_background: false;
  background_tasks?: undefined;
}

/** If a mail could not be sent at once, or its process died while sending, the worker sends it after this time. */
const RESCUE_AFTER_MS = 60_000;

/**
 * Sends one mail (EMAIL-10): queued with the transaction `background_tasks`, or before this returns, outside of any transaction.
 * The second form needs a provider.
 * @returns `queued` in the background, and if the provider could not accept it at once, so that the worker tries again; otherwise
 * `sent`, `failed` with the reason in the delivery, or `suppressed`. A repeated key sends nothing and returns the state of the
 * first mail.
 */
export async function sendEmail<Event extends EmailEvent>(
  context: EmailContext,
  { run_in_background, background_tasks, ...mail }: Email<Event> & (InBackground | AtOnce),
): Promise<DeliveryState> {
  const email = mail as Email<Event>;
  if (run_in_background) {
    await queueEmail(background_tasks, email);
    return 'queued';
  }
  const job = await context.db.transaction(async (tx) => {
    const emailJob = await recordEmail(tx, email);
    if (emailJob !== undefined) await enqueueRescue(tx, emailJob, RESCUE_AFTER_MS);
    return emailJob;
  });
  if (job !== undefined) {
    // The delivery records the error, and the rescue job tries again, no sooner than the provider's wait.
    await deliverEmail({ ...context, lastAttempt: false }, job).catch(async (error) => {
      if (error instanceof RetryLaterError) await enqueueRescue(context.db, job, Math.max(RESCUE_AFTER_MS, error.seconds * 1000));
    });
  }
  return stateOf(context.db, email);
}

/** Queues the job that sends a mail in the background, or postpones it. */
function enqueueRescue(db: Executor, job: EmailJob, afterMs: number): Promise<void> {
  const runAt = new Date(Date.now() + afterMs);
  return enqueue(db, 'deliver_email', job, { jobKey: `mail:${job.delivery_id}`, runAt });
}

async function stateOf(db: Executor, { key, to }: Email<EmailEvent>): Promise<DeliveryState> {
  const [delivery] = await query<{ state: DeliveryState }>(
    db,
    sql`select state from delivery where delivery_key = ${`${key}:email:${to.id}`}`,
  );
  return delivery?.state ?? 'failed';
}
