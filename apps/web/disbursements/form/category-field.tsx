'use client';

import { findBenefit } from '@case-platform/words/benefits';
import { CATEGORY_MAX } from '@case-platform/words/limits';
import { sentence } from '@case-platform/words/sentence';
import { type InputHTMLAttributes, useId, useRef, useState } from 'react';
import type { Benefit } from '../../api/api-shapes.ts';
import { Field } from '../../look/field.tsx';
import { useEarlyValue } from '../../look/use-early-value.ts';

interface Props {
  id: string;
  error: string | undefined;
  /** What the contract allows; without any, the kind of cost is typed. */
  benefits: readonly Benefit[];
  /** What this case has paid for before. */
  categories: readonly string[];
  value: string;
  onChoose: (category: string) => void;
  /** The attributes of the text field. */
  control: InputHTMLAttributes<HTMLInputElement>;
}

const OTHER = ' other';

/** The kind of cost: one of the contract's benefits, or something else in words of one's own. */
export function CategoryField({ id, error, benefits, categories, value, onChoose, control }: Props) {
  const listId = useId();
  const text = (
    <>
      <input className="input" list={listId} maxLength={CATEGORY_MAX} {...control} />
      <datalist id={listId}>
        {categories.map((category) => (
          <option key={category} value={category} />
        ))}
      </datalist>
    </>
  );
  const hint = 'For example travel, medical or childcare.';
  if (benefits.length === 0) {
    return (
      <Field id={id} label="Kind of cost" error={error} hint={hint}>
        {text}
      </Field>
    );
  }
  return (
    <BenefitChoice id={id} error={error} benefits={benefits} value={value} onChoose={onChoose}>
      {(isOther) => (
        <div className={isOther ? '' : 'hidden'}>
          <Field id={id} label="In your words" error={error} hint={hint}>
            {text}
          </Field>
        </div>
      )}
    </BenefitChoice>
  );
}

interface ChoiceProps extends Pick<Props, 'id' | 'error' | 'benefits' | 'value' | 'onChoose'> {
  children: (isOther: boolean) => React.ReactNode;
}

function BenefitChoice({ id, error, benefits, value, onChoose, children }: ChoiceProps) {
  const field = useRef<HTMLSelectElement>(null);
  const [wantsOther, setWantsOther] = useState(false);
  const known = findBenefit(benefits, value);
  const isOther = known === undefined && (wantsOther || value !== '');
  const shown = known?.category ?? (isOther ? OTHER : '');
  const choose = (chosen: string) => {
    setWantsOther(chosen === OTHER);
    onChoose(chosen === OTHER ? '' : chosen);
  };
  useEarlyValue(field, shown, choose);
  return (
    <>
      <Field id={`${id}-choice`} label="Kind of cost" error={isOther ? undefined : error}>
        <select
          id={`${id}-choice`}
          ref={field}
          className="select"
          value={shown}
          aria-invalid={!isOther && error !== undefined}
          aria-describedby={!isOther && error !== undefined ? `${id}-choice-error` : undefined}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">Choose a kind of cost</option>
          {benefits.map(({ category }) => (
            <option key={category} value={category}>
              {sentence(category)}
            </option>
          ))}
          <option value={OTHER}>Something else</option>
        </select>
      </Field>
      {children(isOther)}
    </>
  );
}
