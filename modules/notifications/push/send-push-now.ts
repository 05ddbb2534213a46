import { randomUUID } from 'node:crypto';
import type { Database } from '@case-platform/lib/database';
import pLimit from 'p-limit';
import { deliverPush, type PushOutcome } from './deliver-push.ts';
import { type PlatformPush, triggerPush } from './trigger-push.ts';
import type { PushSettings } from './vapid-keys.ts';

/** Devices that are sent to at the same time. */
const AT_ONCE = 100;
/** After this long what was recorded by a process that died while sending is sent by the worker. */
const RESCUE_AFTER_MS = 60_000;

/**
 * Triggers a push (`triggerPush`) and sends it to all devices at the same time, and waits for how it ended (PUSH-8, PUSH-14).
 * One device that fails holds up no other.
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
