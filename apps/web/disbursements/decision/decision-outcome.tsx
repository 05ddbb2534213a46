'use client';

import { UNDO_APPROVAL_SECONDS } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { CircleCheck, CircleX, Undo2 } from 'lucide-react';
import { useClock } from '../../look/clock.tsx';
import { Link } from '../../look/link.tsx';
import { useCountdown } from '../../look/use-countdown.ts';
import { useDisbursementChange } from '../use-disbursement-change.ts';
import { type Outcome, outcomeWords } from './outcome-words.ts';

interface Props {
  outcome: Outcome;
  /** The id of the part, which gets the focus if there is no next decision. */
  id: string;
  /** True right after the decision, when a tap may be the second one of a double tap. */
  ignoresTaps: () => boolean;
  onUndone: () => void;
}

/** Takes the place of a decision and says what happened. An approval can be undone for ten seconds (REQUEST-19). */
export function DecisionOutcome({ outcome, id, ignoresTaps, onUndone }: Props) {
  const { kind, request, canUndo } = outcome;
  const clock = useClock();
  const [secondsLeft] = useCountdown(UNDO_APPROVAL_SECONDS);
  const { change, busy, problem } = useDisbursementChange(request.id, { isListed: true });
  const Icon = kind === 'approved' ? CircleCheck : CircleX;
  const undo = async () => {
    if ((await change('/undo-approval')) !== null) onUndone();
  };
  return (
    <article id={id} className="panel flex items-start gap-3 p-4" tabIndex={-1} aria-label={request.description}>
      <Icon className={`mt-0.5 size-5 flex-none ${kind === 'approved' ? 'text-primary' : 'text-error'}`} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          <Link className="link" href={`/disbursements/${request.id}`}>
            {request.description}
          </Link>
        </p>
        <p className="mt-1" suppressHydrationWarning>
          {outcomeWords(outcome, clock)}
        </p>
        {problem !== null && (
          <p className="field-error mt-2" role="alert">
            {problem}
          </p>
        )}
      </div>
      {canUndo && (secondsLeft > 0 || busy) && (
        <button
          type="button"
          className="btn btn-sm flex-none"
          aria-disabled={busy}
          data-busy={busy}
          aria-label={`Undo the approval of ${moneyWords(request.amount_cents)}`}
          onClick={() => busy || ignoresTaps() || undo()}
        >
          <Undo2 size={16} aria-hidden="true" />
          {busy ? 'Undoing…' : 'Undo'} {!busy && <span className="money quiet w-[2ch]">{secondsLeft}</span>}
        </button>
      )}
    </article>
  );
}
