import { apiUserTypeInWords } from '@case-platform/words/user-types';
import type { Ref, SelectHTMLAttributes } from 'react';
import { Field } from '../look/field.tsx';
import { SIGN_IN_ROLES } from './sign-in-roles.ts';

interface Props extends SelectHTMLAttributes<HTMLSelectElement> {
  id: string;
  error: string | undefined;
  ref?: Ref<HTMLSelectElement>;
}

/** The role to sign in with, because one address can have several records (LAYER-2). */
export function RoleField({ id, error, ...props }: Props) {
  return (
    <Field id={id} label="I am" error={error}>
      <select {...props} id={id} className="select" required aria-describedby={error && `${id}-error`}>
        <option value="">Choose your role</option>
        {SIGN_IN_ROLES.map((role) => (
          <option key={role} value={role}>
            {apiUserTypeInWords(role)}
          </option>
        ))}
      </select>
    </Field>
  );
}
