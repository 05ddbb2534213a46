import { roleWords } from '@case-platform/words/user-types';
import type { Chain, Person } from '../api/api-shapes.ts';

interface Reader {
  id: number;
  type: string;
}

/** Everyone in a chain except the reader. */
export function othersIn(chain: Pick<Chain, 'participants'>, reader: Reader): Person[] {
  return chain.participants.filter((person) => person.user_id !== reader.id || person.user_type !== reader.type);
}

/** The other people in a chain, on one line. If only staff are in it, that is the escrow team. */
export function chainWith(chain: Pick<Chain, 'participants'>, reader: Reader): string {
  const names = othersIn(chain, reader).map((person) => person.name);
  if (names.length === 0) return reader.type === 'admin' ? 'No recipients' : 'Your escrow team';
  if (names.length <= 2) return names.join(' and ');
  return `${names[0]}, ${names[1]} and ${names.length - 2} more`;
}

/** The title of a chain: its subject, else whom it is with. */
export function chainTitle(chain: Pick<Chain, 'participants' | 'subject'>, reader: Reader): string {
  const subject = chain.subject?.trim() ?? '';
  return subject === '' ? chainWith(chain, reader) : subject;
}

/** The role of somebody in a chain; the admin who owns it is the person's escrow specialist. */
export function roleInChain(
  { user_type, user_id }: Pick<Person, 'user_type' | 'user_id'>,
  chain: Pick<Chain, 'assigned_admin_id'>,
): string {
  return user_type === 'admin' && user_id === chain.assigned_admin_id ? 'Escrow specialist' : roleWords(user_type);
}

/** A person on one line; a name that equals the role is not repeated. */
export function nameAndRole(name: string, role: string): string {
  return name.toLowerCase() === role.toLowerCase() ? name : `${name}, ${role.toLowerCase()}`;
}
