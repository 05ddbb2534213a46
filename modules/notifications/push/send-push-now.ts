import { randomUUID } from 'node:crypto';
import type { Database } from '@case-platform/lib/database';
import pLimit from 'p-limit';
import { deliverPush, type PushOutcome } from './deliver-push.ts';
import { type PlatformPush, triggerPush } from './trigger-push.ts';
import type { PushSettings } from './vapid-keys.ts';

const AT_ONCE = 100;
/** If the process dies while sending, the worker sends the rest after this time. */
const RESCUE_AFTER_MS = 60_000;

/**
 * Triggers a push, sends it to all devices at once, and counts the results (PUSH-8, PUSH-14). A device that fails does not delay
 * the others.
 * @throws as `triggerPush`.
 */
export async function sendPushNow(
  { db, push }: { db: Database; push: PushSettings },
  wanted: Pick<PlatformPush, 'recipients' | 'notification'>,
): Promise<Record<PushOutcome, number>> {
  const runAt = new Date(Date.now() + RESCUE_AFTER_MS);
  const jobs = await db.transaction((tx) =>
    triggerPush(tx, { key: `internal:${randomUUID()}`, event: 'internal', ...wanted }, { runAt }),
  );
  const counts = { sent: 0, failed: 0, removed: 0 };
  const limit = pLimit(AT_ONCE);
  await limit.map(jobs, async (job) => {
    const outcome = await deliverPush({ db, push, lastAttempt: true }, job).catch(() => 'failed' as const);
    counts[outcome] += 1;
  });
  return counts;
}
