import type { GrantRole } from '@case-platform/modules/accounts';
import { tellAdministrators } from '@case-platform/modules/notifications';
import { grantingRole, type TellAdministrators } from '@case-platform/modules/permissions';
import type { AdminContext } from '../context.ts';

/** Notifies all administrators of a grant that may move money. */
export function notifyAdministrators({ config }: Pick<AdminContext, 'config'>): TellAdministrators {
  return (tx, news) => tellAdministrators(tx, news, config);
}

/** Gives a role: at once, or as soon as another administrator has confirmed it. */
export function grantRole(context: Pick<AdminContext, 'config'>): GrantRole {
  return grantingRole(notifyAdministrators(context));
}
