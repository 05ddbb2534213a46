import type { Transaction } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { numberWords } from '@case-platform/words/counts';
import { PUSH_BODY_MAX, PUSH_TITLE_MAX } from '@case-platform/words/limits';
import type { UserType } from '@case-platform/words/user-types';
import type { PlatformPushEvent } from '../events.ts';
import { PAYLOAD_MAX_BYTES, type PushPayload } from './push-payload.ts';

/** The content of a platform event, the same as in the body of `POST /internal/notification/send` (PUSH-14). */
export interface PlatformNotification extends Partial<Omit<PushPayload, 'data'>> {
  title: string;
  body: string;
  /** A path inside the app. */
  url?: string | undefined;
}

export interface PlatformPush {
  /** At most 255 characters. The same for a repeated announcement, so that it is sent once. */
  key: string;
  event: PlatformPushEvent;
  recipients: readonly { user_type: UserType; user_id: number }[];
  notification: PlatformNotification;
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Sends one push through the API (NOTIFY-4). */
    post_platform_push: PlatformPush;
  }
}

/** One slash at the beginning, and nothing that a browser would read as another host. */
const APP_PATH = /^\/(?![/\\])/;

/**
 * Queues the push of a platform event, such as an approval or a payment, in the caller's transaction. The worker then sends it
 * through `POST /internal/notification/send` (NOTIFY-4). Pushes of messages use `queuePushes`.
 * @throws {InvalidInputError} for a notification that the endpoint would reject; nothing is queued then.
 */
export async function triggerPush(tx: Transaction, push: PlatformPush): Promise<void> {
  requireValidNotification(push.notification);
  await enqueue(tx, 'post_platform_push', push);
}

/** @throws {InvalidInputError} for a notification that is too long, or leads out of the app. */
export function requireValidNotification(notification: PlatformNotification): void {
  const { title, body, url = '/', icon = '/', ...rest } = notification;
  if (title.length < 1 || title.length > PUSH_TITLE_MAX)
    throw invalid('title', `The title has 1 to ${PUSH_TITLE_MAX} characters.`);
  if (body.length < 1 || body.length > PUSH_BODY_MAX)
    throw invalid('body', `The body has 1 to ${numberWords(PUSH_BODY_MAX)} characters.`);
  if (!APP_PATH.test(url)) throw invalid('url', 'The address is a path inside the app.');
  if (!APP_PATH.test(icon)) throw invalid('icon', 'The icon is a path inside the app.');
  if (Buffer.byteLength(JSON.stringify({ title, body, url, ...rest })) > PAYLOAD_MAX_BYTES)
    throw invalid('body', 'The notification is too large.');
}
