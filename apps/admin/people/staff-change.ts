import type { StaffChange } from '@case-platform/modules/accounts';
import type { AdminContext } from '../context.ts';
import type { SentForm } from '../form/form-route.ts';

/** The person who changes a record, where and when they do it, and whether they manage roles. */
export function staffChange({ config, now }: AdminContext, { actor, by }: Pick<SentForm<unknown>, 'actor' | 'by'>): StaffChange {
  return { ...by, manages_roles: actor.admin.can('manage_roles'), now: now(), urls: config };
}
