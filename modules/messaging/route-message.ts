import type { UserType } from '@case-platform/words/user-types';

/** A member of a chain who is not staff. */
export interface ChainMember {
  user_id: number;
  user_type: UserType;
}

/** The destination of a message: the columns of its row, and the people for whom it is unread. */
export interface MessageRoute {
  to_id: number | null;
  to_type: UserType | null;
  to_admin: boolean;
  /** The non-admins who receive it. Each has their own mark. */
  recipients: ChainMember[];
}

/**
 * Routes a message, without any state (MESSAGE-1, MESSAGE-2). A non-admin's message always goes to the assigned admin's inbox
 * too. A message to a group, or only to staff, has no single recipient.
 */
export function routeMessage(
  sender: { id: number; user_type: UserType },
  chain: { is_group: boolean },
  members: readonly ChainMember[],
): MessageRoute {
  const recipients = members.filter((member) => member.user_id !== sender.id);
  const [only] = recipients;
  const direct = !chain.is_group && recipients.length === 1 && only !== undefined;
  return {
    to_id: direct ? only.user_id : null,
    to_type: direct ? only.user_type : null,
    to_admin: sender.user_type !== 'admin',
    recipients,
  };
}
