import type { Transaction } from '@case-platform/lib/database';
import { Gathered } from '@case-platform/lib/database/gathered';
import { currentRequest, type RequestContext } from '@case-platform/lib/request-context';
import { withoutLinks } from '@case-platform/lib/text/human-text';
import { queuePushes } from '@case-platform/modules/notifications';
import { emailMessages } from './mail-messages.ts';
import { type Announced, listAnnounced, type NotifyContext } from './message-recipients.ts';

interface MessageToAnnounce {
  message_id: number;
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Pushes and emails a message to its recipients. */
    announce_message: MessageToAnnounce;
  }
}

interface Announcing extends MessageToAnnounce {
  request: RequestContext | undefined;
}

/** Messages whose jobs start within this time are announced together. */
const TOGETHER_MS = 5;
const announcing = new Gathered<NotifyContext, Announcing>({ withinMs: TOGETHER_MS, write: announceAll });

/** Queues the pushes and emails of a message, together with those of others that start at the same time (SCALE-4). */
export function announceMessage(context: NotifyContext, { message_id }: MessageToAnnounce): Promise<void> {
  return announcing.add(context, { message_id, request: currentRequest() });
}

function announceAll(context: NotifyContext, announced: readonly Announcing[]): Promise<void> {
  const requests = new Map(announced.map(({ message_id, request }) => [message_id, request]));
  return context.db.transaction(async (tx) => {
    const messages = await listAnnounced(tx, [...requests.keys()]);
    await pushMessages(tx, messages, requests);
    await emailMessages(context, tx, messages, requests);
  });
}

/**
 * Pushes a message (PUSH-9): one from someone who is not staff to the assigned admin, and one from staff to all of its
 * recipients.
 */
async function pushMessages(
  tx: Transaction,
  messages: readonly Announced[],
  requests: ReadonlyMap<number, RequestContext | undefined>,
): Promise<void> {
  const pushes = messages.map(({ id, chain_id, from_type, from_name, recipients }) => ({
    key: `message:${id}`,
    event: 'new_message' as const,
    to: from_type === 'admin' ? recipients : recipients.filter(({ user_type }) => user_type === 'admin'),
    message_id: id,
    request: requests.get(id),
    payload: {
      title: 'New message',
      // Names the writer only, because other people may see a lock screen.
      body: `${withoutLinks(from_name)} wrote to you.`,
      data: { url: `/messages/${chain_id}` },
      tag: `message-${id}`,
    },
  }));
  await queuePushes(tx, pushes);
}
