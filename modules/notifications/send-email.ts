import type { Database, DatabaseTransaction } from '@case-platform/db';
import { run } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { deliverEmail } from './deliver-email.ts';
import type { DeliveryState } from './deliveries.ts';
import type { EmailProvider } from './email-providers.ts';
import type { EmailEvent } from './events.ts';
import { type Email, queueEmail, recordEmail } from './queue-email.ts';

/** Where a mail is added that is sent in the background: the transaction of what it tells. */
interface InBackground {
  run_in_background: true;
  background_tasks: DatabaseTransaction;
}
interface AtOnce {
  run_in_background: false;
  background_tasks?: undefined;
}

interface SendContext {
  db: Database;
  email: EmailProvider | null;
  keepsContent: boolean;
}

/** After this long a mail whose sender died while sending is sent by the worker. */
const RESCUE_AFTER_MS = 60_000;

/**
 * Sends one mail (specification, 'Email': `subject`, `template_name`, `template_context`, `run_in_background`,
 * `background_tasks`): in the background it is added to what `background_tasks` commits, else it is sent before this returns.
 * @returns how it stands: `queued` in the background; at once `sent`, or `failed` with the reason in the delivery, or
 *   `suppressed`. A repeat of the same key sends nothing and says how the first one stands.
 */
export async function sendEmail<Event extends EmailEvent>(
  context: SendContext,
  { run_in_background, background_tasks, ...mail }: Email<Event> & (InBackground | AtOnce),
): Promise<DeliveryState> {
  if (run_in_background) {
    await queueEmail(background_tasks, mail as Email<Event>);
    return 'queued';
  }
  const email = mail as Email<Event>;
  const job = await context.db.transaction().execute(async (tx) => {
    const recorded = await recordEmail(tx, email);
    const runAt = new Date(Date.now() + RESCUE_AFTER_MS);
    if (recorded !== undefined) await enqueue(tx, 'deliver_email', recorded, { runAt });
    return recorded;
  });
  if (job !== undefined) await deliverEmail({ ...context, lastAttempt: true }, job);
  const [delivery] = await run<{ state: DeliveryState }>(
    context.db,
    'select state from delivery where delivery_key = $1',
    [`${email.key}:email:${email.to.id}`],
  );
  return delivery?.state ?? 'failed';
}
