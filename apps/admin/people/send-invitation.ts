import { displayName, mailInvitation, type SendInvitation } from '@case-platform/modules/accounts';
import type { AdminContext } from '../context.ts';
import type { Actor } from '../guards/visitors.ts';

/**
 * The invitation's template at SendGrid (specification, 'Email'). Identifiers belong to an account: put yours here. If the
 * account does not have it, which is checked once per process, our own template is sent.
 */
const INVITATION_TEMPLATE = 'd-7c1b5f0a2e9d4c38b6a1f4e2d0c95b73';

/** Mails an invitation in the name of the person who invites. */
export function sendInvitation(
  { config }: Pick<AdminContext, 'config'>,
  { user }: Pick<Actor, 'user'>,
): SendInvitation {
  const invited_by = displayName(user);
  return (tx, invitation) =>
    mailInvitation(tx, { ...invitation, invited_by, provider_template_id: INVITATION_TEMPLATE }, config);
}
