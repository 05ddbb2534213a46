import type { GrantRole } from '@case-platform/modules/accounts';
import {
  grantingRole,
  type NotifyAdministrators,
  notifyAdministrators,
  type SeenChoice,
} from '@case-platform/modules/accounts';
import type { AdminContext } from '../context.ts';

/** Notifies all administrators of a grant that may move money. */
export function administratorNotifier({ config }: Pick<AdminContext, 'config'>): NotifyAdministrators {
  return (tx, news) => notifyAdministrators(tx, news, config);
}

/** Gives a role that was seen so: at once, or as soon as another administrator has confirmed it. */
export function grantRole(context: Pick<AdminContext, 'config'>, seen?: SeenChoice): GrantRole {
  return grantingRole(administratorNotifier(context), seen);
}
