import { roleWords } from '@case-platform/words/user-types';
import type { Chain, Person } from '../api/api-shapes.ts';

interface Reader {
  id: number;
  type: string;
}

export function othersIn(chain: Pick<Chain, 'participants'>, reader: Reader): Person[] {
  return chain.participants.filter((person) => person.user_id !== reader.id || person.user_type !== reader.type);
}

/** Names the other people in a chain in one line. Without others, it names the escrow team, or says so to staff. */
export function chainWith(chain: Pick<Chain, 'participants'>, reader: Reader): string {
  const names = othersIn(chain, reader).map((person) => person.name);
  if (names.length === 0) return reader.type === 'admin' ? 'No recipients' : 'Your escrow team';
  if (names.length <= 2) return names.join(' and ');
  return `${names[0]}, ${names[1]} and ${names.length - 2} more`;
}

/** Returns the subject of a chain, or the names of its other people if it has no subject. */
export function chainTitle(chain: Pick<Chain, 'participants' | 'subject'>, reader: Reader): string {
  const subject = chain.subject?.trim() ?? '';
  return subject === '' ? chainWith(chain, reader) : subject;
}

/** Names a participant's role. The admin who owns the chain is called its escrow specialist. */
export function roleInChain(
  { user_type, user_id }: Pick<Person, 'user_type' | 'user_id'>,
  chain: Pick<Chain, 'assigned_admin_id'>,
): string {
  return user_type === 'admin' && user_id === chain.assigned_admin_id ? 'Escrow specialist' : roleWords(user_type);
}

/** Joins a name and a role in one line, unless they are equal. */
export function nameAndRole(name: string, role: string): string {
  return name.toLowerCase() === role.toLowerCase() ? name : `${name}, ${role.toLowerCase()}`;
}
