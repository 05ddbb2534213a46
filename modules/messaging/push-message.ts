import { withoutLinks } from '@case-platform/lib/text/human-text';
import { queuePushes } from '@case-platform/modules/notifications';
import { findAnnounced, listRecipientsOf, type NotifyContext } from './message-recipients.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Pushes a message (PUSH-9). */
    push_message: { message_id: number };
  }
}

/**
 * Pushes a message (PUSH-9): one from someone who is not staff goes to the assigned admin, an admin's to the
 * recipient, or to every non-admin of the group.
 */
export async function pushMessage({ db }: NotifyContext, { message_id }: { message_id: number }) {
  const message = await findAnnounced(db, message_id);
  if (message === undefined) return;
  const fromStaff = message.from_type === 'admin';
  const people = (await listRecipientsOf(db, message)).filter((person) => (person.user_type === 'admin') !== fromStaff);
  await db.transaction((tx) =>
    queuePushes(tx, {
      key: `message:${message.id}`,
      event: 'new_message',
      to: people,
      message_id: message.id,
      payload: {
        title: 'New message',
        // Only who wrote: other people may see a lock screen.
        body: `${withoutLinks(message.from_name)} wrote to you.`,
        url: `/messages/${message.chain_id}`,
        tag: `message-${message.id}`,
      },
    }),
  );
}
