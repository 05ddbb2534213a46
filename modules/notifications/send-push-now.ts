import { randomUUID } from 'node:crypto';
import type { Database } from '@case-platform/db';
import { run } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import type { User, UserType } from '@case-platform/modules/accounts';
import { deliverPush, type PushOutcome, type PushSettings } from './deliver-push.ts';
import { type PushPayload, recordPushes } from './deliveries.ts';

export interface InternalPush extends Partial<Omit<PushPayload, 'data'>> {
  title: string;
  body: string;
  /** A path inside the app. */
  url?: string | undefined;
}

/** Bytes of the payload at most: browsers take 3,993, and encryption adds to it. */
const PAYLOAD_MAX_BYTES = 3000;

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
  const jobs = await db.transaction().execute(async (tx) => {
    const recorded = [];
    for (const to of people) {
      recorded.push(...(await recordPushes(tx, { key, event: 'internal', to, payload: { ...rest, url, tag } })));
    }
    return recorded;
  });
  const counts = { sent: 0, failed: 0, removed: 0 };
  await Promise.all(
    jobs.map(async (job) => {
      const outcome = await deliverPush({ db, push, lastAttempt: true }, job).catch(() => 'failed' as const);
      counts[outcome] += 1;
    }),
  );
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
