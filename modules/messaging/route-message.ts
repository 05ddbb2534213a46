import type { UserType } from '@case-platform/words/user-types';

/** A member of a chain who is not staff. */
export interface ChainMember {
  user_id: number;
  user_type: UserType;
}

/** A chain, and its members who have not left. */
export interface RoutedChain {
  is_group: boolean;
  members: readonly ChainMember[];
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
export function routeMessage(sender: { id: number; user_type: UserType }, { is_group, members }: RoutedChain): MessageRoute {
  const recipients = members.filter((member) => member.user_id !== sender.id);
  const single = is_group || recipients.length > 1 ? undefined : recipients[0];
  return {
    to_id: single?.user_id ?? null,
    to_type: single?.user_type ?? null,
    to_admin: sender.user_type !== 'admin',
    recipients,
  };
}
