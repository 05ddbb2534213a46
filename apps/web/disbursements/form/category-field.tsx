'use client';

import type { SelectHTMLAttributes } from 'react';
import { Field } from '../../look/field.tsx';

interface Props {
  id: string;
  error: string | undefined;
  /** The categories that requests of this case can have. */
  categories: readonly string[];
  /** The attributes of the select element. */
  control: SelectHTMLAttributes<HTMLSelectElement>;
}

export function CategoryField({ id, error, categories, control }: Props) {
  return (
    <Field id={id} label="Category" error={error}>
      <select className="select" {...control}>
        <option value="">Choose a category</option>
        {categories.map((category) => (
          <option key={category} value={category}>
            {category}
          </option>
        ))}
      </select>
    </Field>
  );
}
