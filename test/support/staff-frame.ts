import type { Permission } from '@case-platform/modules/accounts';
import { loadAssets } from '../../apps/admin/assets/assets.ts';
import type { StaffActor } from '../../apps/admin/guards/visitors.ts';
import type { Frame } from '../../apps/admin/page/frame.ts';

loadAssets();

/**
 * The context in which a page of the staff application is rendered, for tests that call the page directly: the reader, their
 * role, and their clock.
 */
export function staffFrame({
  userId = 2,
  permissions,
  now,
  zone = 'UTC',
}: {
  userId?: number;
  permissions: readonly Permission[];
  now: Date | string;
  zone?: string;
}): Frame<StaffActor> {
  const permissionSet = new Set(permissions);
  const user = {
    id: userId,
    first_name: 'Ruth',
    last_name: 'Adeyemi',
    email_address: 'r@demo.test',
    user_type: 'admin',
    agency_id: null,
    admin_role_id: 1,
  } as const;
  const admin = { role_name: 'Any', permissions: permissionSet, can: (permission: Permission) => permissionSet.has(permission) };
  const at = new Date(now);
  const actor = { user, admin, session: { user, csrf_token: 'token', signed_in_at: at, confirmed_at: at } };
  const clock = { zone, now: new Date(now) };
  const preferences = { theme: undefined, zone, userType: 'admin' } as const;
  return { actor, unread: 0, preferences, clock, path: '/', webUrl: 'http://localhost:3000' };
}
