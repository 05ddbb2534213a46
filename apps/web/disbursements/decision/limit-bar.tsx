import { noLimitWords } from '@case-platform/words/benefits';
import type { Disbursement } from '../../api/api-shapes.ts';
import { limitParts } from './limit-parts.ts';

/** The contract limit of a request as a bar, with the same in words. */
export function LimitBar({ disbursement }: { disbursement: Pick<Disbursement, 'benefit' | 'category' | 'amount_cents'> }) {
  const { benefit, category, amount_cents } = disbursement;
  if (benefit === null) return <p className="over-benefit mt-3 text-small">{noLimitWords(category)}</p>;
  const { used, requested, thisOne, limit, isOver, words } = limitParts(benefit, amount_cents);
  return (
    <div className="mt-3">
      {/* The content security policy forbids style attributes, so the widths are those of an image. */}
      <svg className={`limit-bar ${isOver ? 'is-over' : ''}`} viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        <rect className="is-used" width={used} height={1} />
        <rect className="is-requested" x={used} width={requested} height={1} />
        <rect className="is-this" x={used + requested} width={thisOne} height={1} />
        {isOver && <rect className="is-limit" x={limit - 0.005} width={0.01} height={1} />}
      </svg>
      <p className={`mt-1 text-small ${isOver ? 'over-benefit' : 'quiet'}`}>
        {benefit.category}: {words}
      </p>
    </div>
  );
}
