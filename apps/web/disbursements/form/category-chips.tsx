'use client';

import { findBenefit, leftInShort, whatIsLeft } from '@case-platform/words/benefits';
import type { Benefit } from '../../api/api-shapes.ts';

interface Props {
  id: string;
  error: string | undefined;
  /** The categories that requests of this case can have. */
  categories: readonly string[];
  /** The contract limits of the case, with what is left of each. */
  benefits: readonly Benefit[];
  /** The initial category. */
  initial: string;
  /** The chosen category and the amount as typed. */
  values: { category: string; amount: string };
  onChange: () => void;
}

/** The choice of a category, each with what its contract limit leaves (CONTRACT-2). */
export function CategoryChips({ id, error, categories, benefits, initial, values, onChange }: Props) {
  const remainder = whatIsLeft(benefits, values);
  return (
    <fieldset className="field" aria-describedby={error === undefined ? undefined : `${id}-error`}>
      <legend className="field-label mb-1.5">Category</legend>
      <div className="flex flex-wrap gap-2">
        {categories.map((category) => (
          <Chip
            key={category}
            category={category}
            remainder={leftOf(benefits, category)}
            isFirst={category === initial}
            isWrong={error !== undefined}
            onChange={onChange}
          />
        ))}
      </div>
      {remainder !== null && (
        <p className={`text-small ${remainder.isOver ? 'over-benefit' : 'quiet'}`} role="status">
          {remainder.words}
        </p>
      )}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface ChipProps {
  category: string;
  remainder: string | null;
  isFirst: boolean;
  isWrong: boolean;
  onChange: () => void;
}

/** The control covers its label, so that the whole chip can be pressed. */
function Chip({ category, remainder, isFirst, isWrong, onChange }: ChipProps) {
  return (
    <label className="category-chip">
      <input
        type="radio"
        name="category"
        value={category}
        defaultChecked={isFirst}
        aria-invalid={isWrong}
        className="absolute inset-0 cursor-pointer appearance-none rounded-field"
        onChange={onChange}
      />
      <span className="wrap-anywhere">{category}</span>
      {remainder !== null && <span className="quiet text-small whitespace-nowrap tabular-nums">{remainder}</span>}
    </label>
  );
}

function leftOf(benefits: readonly Benefit[], category: string): string | null {
  const benefit = findBenefit(benefits, category);
  return benefit === undefined ? null : leftInShort(benefit);
}
