import { placeSteps } from '@case-platform/words/whereabouts';
import type { SeenDisbursement } from '../api/api-shapes.ts';

/** The states of a step for screen readers. */
const STATE_WORDS = { done: 'done', now: 'now', refused: 'it ended here', ahead: 'still to come' };
const MARKS = { done: 'is-done', now: '', refused: 'is-refused', ahead: '' };

export function DisbursementStepper({ disbursement }: { disbursement: Pick<SeenDisbursement, 'submitted_at' | 'whereabouts'> }) {
  const { submitted_at, whereabouts } = disbursement;
  const steps = placeSteps(whereabouts.state, submitted_at !== null);
  return (
    <ol className="stepper max-sm:[&>li]:basis-0 max-sm:[&>li]:pe-1.5" aria-label="How far this request is">
      {steps.map(({ words, state }) => (
        <li
          key={words}
          className={`stepper-step ${MARKS[state]}`}
          aria-current={state === 'now' || state === 'refused' ? 'step' : undefined}
        >
          {words}
          <span className="sr-only">, {STATE_WORDS[state]}</span>
        </li>
      ))}
    </ol>
  );
}
