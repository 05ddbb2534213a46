import type { GrantRole } from '@case-platform/modules/accounts';
import { tellAdministrators } from '@case-platform/modules/notifications';
import { grantingRole, type TellAdministrators } from '@case-platform/modules/permissions';
import type { AdminContext } from '../context.ts';

/** How all administrators hear of a grant that may move money. */
export function telling({ config }: Pick<AdminContext, 'config'>): TellAdministrators {
  return (tx, news) => tellAdministrators(tx, news, config);
}

/** How a role is given here: at once, or as soon as another administrator has confirmed it. */
export function grantRole(context: Pick<AdminContext, 'config'>): GrantRole {
  return grantingRole(telling(context));
}
