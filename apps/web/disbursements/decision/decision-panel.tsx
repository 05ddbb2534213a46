'use client';

import { useEffect, useRef, useState } from 'react';
import type { Disbursement } from '../../api/api-shapes.ts';
import { useClock } from '../../look/clock.tsx';
import { Notice } from '../../look/notice.tsx';
import { DecisionOutcome } from './decision-outcome.tsx';
import { DisbursementDecision } from './disbursement-decision.tsx';
import { waitsAgain } from './merge-decided.ts';
import { type Outcome, outcomeWords } from './outcome-words.ts';

interface Props {
  disbursement: Disbursement;
  /** True while the reader can decide about the request. */
  decides: boolean;
}

const OUTCOME_ID = 'decision-outcome';
/** A second tap of a double tap must not undo what the first one approved. */
const DOUBLE_TAP_MS = 600;

/** The decision on the page of a request, and afterwards what happened, also after the page has been rendered again. */
export function DecisionPanel({ disbursement, decides }: Props) {
  const clock = useClock();
  const [decided, setDecided] = useState<Outcome | null>(null);
  const outcome = decided !== null && decides && waitsAgain(disbursement, decided) ? null : decided;
  const decidedAt = useRef(0);
  const decide = (now: Outcome | null) => {
    decidedAt.current = Date.now();
    setDecided(now);
  };
  const ignoresTaps = () => Date.now() - decidedAt.current < DOUBLE_TAP_MS;
  useEffect(() => {
    if (outcome !== null) document.getElementById(OUTCOME_ID)?.focus();
  }, [outcome]);
  return (
    <>
      <p className="sr-only" role="status">
        {outcome !== null && outcomeWords(outcome, clock)}
      </p>
      {outcome !== null && (
        <div className="mb-6">
          <DecisionOutcome id={OUTCOME_ID} outcome={outcome} ignoresTaps={ignoresTaps} onUndone={() => decide(null)} />
        </div>
      )}
      {outcome === null && decides && (
        <Notice kind="waiting" title="This request is waiting for your decision" className="mb-6">
          <p>
            Check the amount, the payee and the receipts. If you approve, we set the money aside for {disbursement.payee.name}.
          </p>
          <DisbursementDecision disbursement={disbursement} ignoresTaps={ignoresTaps} onDecided={decide} />
        </Notice>
      )}
    </>
  );
}
