import type { Person } from '../../api/api-shapes.ts';

/** A person as the value of a select element: `user_type:user_id`. */
export function payeeKey({ user_type, user_id }: Pick<Person, 'user_type' | 'user_id'>): string {
  return `${user_type}:${user_id}`;
}
