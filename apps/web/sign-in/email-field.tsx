import type { ComponentProps } from 'react';
import { Field } from '../look/field.tsx';

interface EmailFieldProps extends ComponentProps<'input'> {
  id: string;
  error: string | undefined;
}

/** The field for the address that someone signs in with. */
export function EmailField({ id, error, ...control }: EmailFieldProps) {
  return (
    <Field id={id} label="Email address" error={error}>
      <input
        id={id}
        className="input"
        type="email"
        autoComplete="username"
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        aria-describedby={error && `${id}-error`}
        {...control}
      />
    </Field>
  );
}
