import type { Executor, Transaction } from '@case-platform/lib/database';
import { enqueue, RetryLaterError } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import type { DeliveryState } from '../deliveries.ts';
import type { EmailEvent } from '../events.ts';
import { deliverEmail, type EmailContext } from './deliver-email.ts';
import { type Email, type EmailJob, queueEmail, recordEmail } from './queue-email.ts';

/** Where a mail is added that is sent in the background: the transaction of what it tells. */
interface InBackground {
  run_in_background: true;
  background_tasks: Transaction;
}
interface AtOnce {
  run_in_background: false;
  background_tasks?: undefined;
}

/** After this long a mail that could not be sent at once, or whose sender died while sending, is sent in the background. */
const RESCUE_AFTER_MS = 60_000;

/**
 * Sends one mail (EMAIL-10):
 * in the background it is added to what `background_tasks` commits, else it is sent before this returns.
 * For whoever has a provider, outside of any transaction.
 * @returns how it stands: `queued` in the background, and where a provider could not take it at once, so that it is tried
 *   again there; else `sent`, `failed` with the reason in the delivery, or `suppressed`. A repeat of the same key sends
 *   nothing and says how the first one stands.
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
    const recorded = await recordEmail(tx, email);
    if (recorded !== undefined) await enqueueRescue(tx, recorded, RESCUE_AFTER_MS);
    return recorded;
  });
  if (job !== undefined) {
    // The delivery records what went wrong, and the job above tries again, no sooner than the provider asks for.
    await deliverEmail({ ...context, lastAttempt: false }, job).catch(async (error) => {
      if (error instanceof RetryLaterError)
        await enqueueRescue(context.db, job, Math.max(RESCUE_AFTER_MS, error.seconds * 1000));
    });
  }
  return stateOf(context.db, email);
}

/** Adds the job that sends a mail in the background, or postpones it. */
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
