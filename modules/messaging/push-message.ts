import { withoutLinks } from '@case-platform/lib/text/human-text';
import { queuePushes } from '@case-platform/modules/notifications';
import { findAnnounced, listRecipientsOf, type NotifyContext } from './message-recipients.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    push_message: { message_id: number };
  }
}

/**
 * Pushes a message (PUSH-9): one from someone who is not staff to the assigned admin, and one from staff to all of its
 * recipients.
 */
export async function pushMessage({ db }: NotifyContext, { message_id }: { message_id: number }) {
  const message = await findAnnounced(db, message_id);
  if (message === undefined) return;
  const recipients = await listRecipientsOf(db, message);
  const to = message.from_type === 'admin' ? recipients : recipients.filter(({ user_type }) => user_type === 'admin');
  await db.transaction((tx) =>
    queuePushes(tx, {
      key: `message:${message.id}`,
      event: 'new_message',
      to,
      message_id: message.id,
      payload: {
        title: 'New message',
        // Names the writer only, because other people may see a lock screen.
        body: `${withoutLinks(message.from_name)} wrote to you.`,
        data: { url: `/messages/${message.chain_id}` },
        tag: `message-${message.id}`,
      },
    }),
  );
}
