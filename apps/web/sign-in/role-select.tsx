import type { Ref, SelectHTMLAttributes } from 'react';
import { SIGN_IN_ROLES } from '../session/user-types.ts';

interface Props extends SelectHTMLAttributes<HTMLSelectElement> {
  ref?: Ref<HTMLSelectElement>;
}

/** In which role somebody comes: the same address may belong to several people's records. */
export function RoleSelect(props: Props) {
  return (
    <select {...props} className="select">
      {SIGN_IN_ROLES.map(({ value, words }) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}
