'use client';

import { roleWords } from '@case-platform/words/user-types';
import type { SelectHTMLAttributes } from 'react';
import type { Payee } from '../../api/api-shapes.ts';
import { Field } from '../../look/field.tsx';
import type { Me } from '../../session/session-shapes.ts';
import { payeeKey } from './payee-key.ts';

interface Props {
  id: string;
  error: string | undefined;
  me: Me;
  people: readonly Payee[];
  /** The attributes of the control. */
  control: SelectHTMLAttributes<HTMLSelectElement> & { name: string };
}

/** The choice of a payee. The only person who can be chosen is named, without a choice. */
export function PayeeField({ id, error, me, people, control }: Props) {
  const [only, other] = people;
  if (only !== undefined && other === undefined && me.userType !== 'admin') {
    return (
      <div className="field">
        <p className="field-label">Who gets paid?</p>
        <p>{only.user_id === me.id ? `You (${only.name})` : only.name}</p>
        <input type="hidden" name={control.name} defaultValue={payeeKey(only)} />
        {error !== undefined && <p className="field-error">{error}</p>}
      </div>
    );
  }
  return (
    <Field id={id} label="Who gets paid?" error={error}>
      <select className="select" {...control}>
        {me.userType === 'admin' && <option value="">Choose a person</option>}
        {people.map((person) => (
          <option key={payeeKey(person)} value={payeeKey(person)}>
            {person.user_id === me.id ? `Me (${person.name})` : `${person.name}, ${roleWords(person.user_type)}`}
          </option>
        ))}
      </select>
    </Field>
  );
}
