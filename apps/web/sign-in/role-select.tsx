import { apiUserTypeInWords } from '@case-platform/words/user-types';
import type { Ref, SelectHTMLAttributes } from 'react';
import { SIGN_IN_ROLES } from './sign-in-roles.ts';

interface Props extends SelectHTMLAttributes<HTMLSelectElement> {
  ref?: Ref<HTMLSelectElement>;
}

/** The role to sign in with, because one address can have several records (LAYER-2). */
export function RoleSelect(props: Props) {
  return (
    <select {...props} className="select">
      {SIGN_IN_ROLES.map((role) => (
        <option key={role} value={role}>
          {apiUserTypeInWords(role)}
        </option>
      ))}
    </select>
  );
}
