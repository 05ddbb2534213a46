import { longDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import type { Milestone } from '../api/api-shapes.ts';

export function CaseMilestones({ milestones }: { milestones: readonly Milestone[] }) {
  if (milestones.length === 0) return null;
  const newest = milestones.toSorted((a, b) => b.happened_on.localeCompare(a.happened_on) || b.id - a.id);
  return (
    <section>
      <h2 className="section-title">Milestones</h2>
      <ol className="timeline">
        {newest.map(({ id, kind, happened_on, note, funding_required_cents }, at) => (
          <li key={id} className={`timeline-item ${at === 0 ? 'is-now' : ''}`}>
            <p className="font-medium">{sentence(kind)}</p>
            <p className="timeline-when">
              <time dateTime={happened_on}>{longDayWords(happened_on)}</time>
            </p>
            {note !== '' && <p className="text-small wrap-anywhere whitespace-pre-line">{note}</p>}
            {funding_required_cents !== null && (
              <p className="text-small">
                Deposit needed: <span className="money">{moneyWords(funding_required_cents)}</span>
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
