import { randomUUID } from 'node:crypto';
import type { Database } from '@case-platform/db';
import { run } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { enqueueAll } from '@case-platform/lib/jobs';
import type { User, UserType } from '@case-platform/modules/accounts';
import pLimit from 'p-limit';
import { deliverPush, type PushOutcome } from './deliver-push.ts';
import { PAYLOAD_MAX_BYTES, type PushPayload } from './push-payload.ts';
import { recordPushes } from './queue-push.ts';
import type { PushSettings } from './vapid-keys.ts';

export interface InternalPush extends Partial<Omit<PushPayload, 'data'>> {
  title: string;
  body: string;
  /** A path inside the app. */
  url?: string | undefined;
}

/** Devices that are sent to at the same time. */
const AT_ONCE = 100;
/** After this long what was recorded by a process that died while sending is sent by the worker. */
const RESCUE_AFTER_MS = 60_000;

/**
 * Sends a push to everyone named, to all of their devices at the same time, and waits for how it ended
 * (specification, 'Master API key'; decisions, section 7). One device that fails holds up no other.
 * @throws {InvalidInputError} for somebody who does not exist or a payload that is too large; nothing is sent then.
 */
export async function sendPushNow(
  { db, push }: { db: Database; push: PushSettings },
  recipients: readonly { user_type: UserType; user_id: number }[],
  { url = '/', tag = randomUUID(), ...rest }: InternalPush,
): Promise<Record<PushOutcome, number>> {
  if (Buffer.byteLength(JSON.stringify({ ...rest, url, tag })) > PAYLOAD_MAX_BYTES) {
    throw invalid('body', 'The notification is too large.');
  }
  const people = await findPeople(db, recipients);
  const key = `internal:${randomUUID()}`;
  const payload = { ...rest, url, tag };
  const jobs = await db.transaction().execute(async (tx) => {
    const recorded = await recordPushes(tx, { key, event: 'internal', to: people, payload });
    await enqueueAll(tx, 'deliver_push', recorded, { runAt: new Date(Date.now() + RESCUE_AFTER_MS) });
    return recorded;
  });
  const counts = { sent: 0, failed: 0, removed: 0 };
  const limit = pLimit(AT_ONCE);
  await limit.map(jobs, async (job) => {
    const outcome = await deliverPush({ db, push, lastAttempt: true }, job).catch(() => 'failed' as const);
    counts[outcome] += 1;
  });
  return counts;
}

async function findPeople(db: Database, recipients: readonly { user_type: UserType; user_id: number }[]) {
  const wanted = new Map(recipients.map(({ user_id, user_type }) => [`${user_id}:${user_type}`, user_id]));
  const people = await run<Pick<User, 'id' | 'user_type' | 'email_address'>>(
    db,
    "select id, user_type, email_address from user_account where id = any($1::bigint[]) and status = 'active'",
    [[...wanted.values()]],
  );
  const found = people.filter((person) => wanted.has(`${person.id}:${person.user_type}`));
  if (found.length !== wanted.size) throw invalid('recipients', 'One of the recipients does not exist.');
  return found;
}
