import { randomUUID } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { enqueueAll } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { numberWords } from '@case-platform/words/counts';
import { PUSH_BODY_MAX, PUSH_TITLE_MAX } from '@case-platform/words/limits';
import type { UserType } from '@case-platform/words/user-types';
import type { Recipient } from '../deliveries.ts';
import type { PushEvent } from '../events.ts';
import { PAYLOAD_MAX_BYTES, type PushPayload } from './push-payload.ts';
import { type PushJob, recordPushes } from './queue-push.ts';

/** The content of a platform event, the same as the body of `POST /internal/notification/send` (NOTIFY-3, PUSH-14). */
interface PlatformNotification extends Partial<Omit<PushPayload, 'data'>> {
  title: string;
  body: string;
  /** A path inside the app. */
  url?: string | undefined;
}

export interface PlatformPush {
  /** The same for a repeated announcement, so that a job that runs again adds nothing. */
  key: string;
  event: PushEvent;
  recipients: readonly { user_type: UserType; user_id: number }[];
  notification: PlatformNotification;
}

/** One slash at the beginning, and nothing that a browser would read as another host. */
const APP_PATH = /^\/(?![/\\])/;

/**
 * Pushes a platform event, such as an approval or a payment, to all devices of the recipients. Callers with the master key use it
 * as well (NOTIFY-3). Records a delivery and queues a job for each device in the caller's transaction.
 * @param runAt when the worker sends what the caller has not sent by itself.
 * @throws {InvalidInputError} for a recipient who does not exist, or an invalid notification; nothing is recorded then.
 */
export async function triggerPush(
  tx: Transaction,
  { key, event, recipients, notification }: PlatformPush,
  { runAt }: { runAt?: Date } = {},
): Promise<PushJob[]> {
  const { url = '/', tag = randomUUID(), ...rest } = notification;
  const payload = { ...rest, url, tag };
  requireValidNotification(payload);
  const people = await findPeople(tx, recipients);
  const jobs = await recordPushes(tx, { key, event, to: people, payload });
  await enqueueAll(tx, 'deliver_push', jobs, runAt === undefined ? {} : { runAt });
  return jobs;
}

function requireValidNotification({ title, body, url, icon = '/', ...rest }: PlatformNotification & { url: string }): void {
  if (title.length < 1 || title.length > PUSH_TITLE_MAX)
    throw invalid('title', `The title has 1 to ${PUSH_TITLE_MAX} characters.`);
  if (body.length < 1 || body.length > PUSH_BODY_MAX)
    throw invalid('body', `The body has 1 to ${numberWords(PUSH_BODY_MAX)} characters.`);
  if (!APP_PATH.test(url)) throw invalid('url', 'The address is a path inside the app.');
  if (!APP_PATH.test(icon)) throw invalid('icon', 'The icon is a path inside the app.');
  if (Buffer.byteLength(JSON.stringify({ title, body, url, ...rest })) > PAYLOAD_MAX_BYTES)
    throw invalid('body', 'The notification is too large.');
}

async function findPeople(
  tx: Transaction,
  recipients: readonly { user_type: UserType; user_id: number }[],
): Promise<Recipient[]> {
  const wanted = new Map(recipients.map(({ user_id, user_type }) => [`${user_id}:${user_type}`, user_id]));
  const people = await query<Recipient>(
    tx,
    sql`select id, user_type, email_address from user_account where id = any(${[...wanted.values()]}::bigint[])
           and status = 'active'`,
  );
  const matching = people.filter((person) => wanted.has(`${person.id}:${person.user_type}`));
  if (matching.length !== wanted.size) throw invalid('recipients', 'One of the recipients does not exist.');
  return matching;
}
