import { Type } from 'typebox';
import { typed } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { chosenId } from '../form/schemas.ts';

/**
 * A role from a list, with the version that the list was made of: what was seen is what is given (ROLE-12). One
 * without a version was not seen, and is refused as one that was changed. Empty for none.
 */
export const RoleChoice = Type.String({ pattern: '^([1-9][0-9]{0,14}(@[ -~]{1,100})?)?$', default: '' });

/** The parts of a choice. */
export function parseRoleChoice(choice: string): { admin_role_id: number | null; version: string } {
  const [id = '', version = ''] = choice.split('@');
  return { admin_role_id: chosenId(id), version };
}

/** A role as a list of them has it. */
export interface RoleToChoose {
  id: number;
  name: string;
  version: string;
}

/** The roles to choose from; the one that was chosen in a refused form, or else is held, stays so as it is now. */
export function roleChoices(
  roles: readonly RoleToChoose[],
  refused: RefusedForm | undefined,
  currentRoleId: number | null = null,
) {
  const choices = roles.map(({ id, name, version }) => ({ id: `${id}@${version}`, name }));
  const [value] = typed(refused, 'admin_role_id', currentRoleId).split('@');
  return { choices, chosen: choices.find(({ id }) => id.startsWith(`${value}@`))?.id ?? '' };
}
