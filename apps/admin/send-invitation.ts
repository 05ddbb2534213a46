import { displayName, type SendInvitation } from '@case-platform/modules/accounts';
import { mailInvitation } from '@case-platform/modules/notifications';
import type { AdminContext } from './context.ts';
import type { Actor } from './visitors.ts';

/** Mails an invitation in the name of whoever invites. */
export function sendInvitation(
  { config }: Pick<AdminContext, 'config'>,
  { user }: Pick<Actor, 'user'>,
): SendInvitation {
  const invited_by = displayName(user);
  return (tx, invitation) => mailInvitation(tx, { ...invitation, invited_by }, config);
}
