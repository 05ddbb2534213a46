import { type Html, html } from '@case-platform/lib/html';
import type { Delivery } from '@case-platform/modules/notifications';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from './frame.ts';

/**
 * Whether the reader may see contact details: phone numbers, sign-ins, and where messages were sent. Any admin may open the
 * pages that hold them (SHOWN-3).
 */
export function maySeeContacts({ admin }: Pick<StaffActor, 'admin'>): boolean {
  return admin.can('view_users') || admin.can('edit_users');
}

/** Shown in place of what a reader may not see. */
export const HIDDEN_PART = html`<span class="quiet">Hidden for your role</span>`;

/** The recipient of a delivery. */
export function recipientPart({ actor }: Frame<StaffActor>, recipient: string): Html {
  return maySeeContacts(actor) ? html`${recipient}` : HIDDEN_PART;
}

/** Why a delivery failed, in the provider's words, which may repeat where it went. */
export function failureWords({ actor }: Frame<StaffActor>, { error, recipient }: Pick<Delivery, 'error' | 'recipient'>) {
  if (error === null || maySeeContacts(actor)) return error;
  const words = error.replaceAll(recipient, '•••').replaceAll(/[^\s@<>]+@[^\s@<>]+/g, '•••');
  return words.replaceAll(/[+(]?\d[\d\s().-]{5,}\d/g, '•••');
}
