import type { StaffActor } from '../guards/visitors.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import type { ShownEntry } from './hide-drafts.ts';

/** Fields of entries about people that are not contact details. */
const OF_EVERYBODY = new Set(['first_name', 'last_name', 'timezone', 'user_type', 'status', 'role', 'asked_role', 'agency']);

/**
 * Leaves out of entries what the reader's role is shown nowhere else: contact details and addresses, where a visit came from,
 * what conversations are called, and bank accounts (SHOWN-6).
 */
export function hideByRole(actor: StaffActor, entries: readonly ShownEntry[]): ShownEntry[] {
  const { can } = actor.admin;
  const seesContacts = maySeeContacts(actor);
  const seesAccounts = can('view_bank_accounts') || can('edit_bank_accounts');
  return entries.map((entry) => {
    const { subject_type, subject_label } = entry;
    const ofContact = /^(delivery|suppression)$/.test(subject_type) || subject_label.includes('@');
    const ofTalk = /^(chain|message)$/.test(subject_type);
    const isNameless = (ofContact && !seesContacts) || (ofTalk && !can('view_messages'));
    const fields = Object.keys({ ...entry.before, ...entry.after });
    const hidden = fields.filter((field) => {
      if (subject_type === 'user') return !seesContacts && !OF_EVERYBODY.has(field);
      return /^bank_(account|profile)$/.test(subject_type) && !seesAccounts;
    });
    return { ...entry, subject_label: isNameless ? '' : subject_label, hidden: new Set(hidden) };
  });
}
