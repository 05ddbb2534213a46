import { html } from '@case-platform/lib/html';
import type { Delivery } from '@case-platform/modules/notifications';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';

/**
 * Phone numbers, how somebody signs in and from where, and where messages went are for those who may view people: any admin may
 * open the pages around them (specification, 'Server-rendered application' 4 and 7).
 */
export function maySeeContacts({ admin }: Pick<StaffActor, 'admin'>): boolean {
  return admin.can('view_users') || admin.can('edit_users');
}

/** What stands in the place of such a part. */
export const HIDDEN_PART = '<span class="quiet">Hidden from your role</span>';

/** Where a delivery went. */
export function recipientPart({ actor }: Frame<StaffActor>, recipient: string): string {
  return maySeeContacts(actor) ? html`${recipient}` : HIDDEN_PART;
}

/** Why a delivery failed, in the provider's words, which may repeat where it went. */
export function failureWords(
  { actor }: Frame<StaffActor>,
  { error, recipient }: Pick<Delivery, 'error' | 'recipient'>,
) {
  if (error === null || maySeeContacts(actor)) return error;
  const words = error.replaceAll(recipient, '•••').replaceAll(/[^\s@<>]+@[^\s@<>]+/g, '•••');
  return words.replaceAll(/[+(]?\d[\d\s().-]{5,}\d/g, '•••');
}
