'use client';

import { useEffect, useRef, useState } from 'react';
import type { Home } from '../../api/api-shapes.ts';
import { useClock } from '../../look/clock.tsx';
import type { Me } from '../../session/session-shapes.ts';
import { DecisionCard } from './decision-card.tsx';
import { DecisionOutcome } from './decision-outcome.tsx';
import { type Decided, mergeDecided, type ShownDecision } from './merge-decided.ts';
import { type Outcome, outcomeWords } from './outcome-words.ts';

type Decision = Home['decisions'][number];

interface Props {
  /** Newest first. */
  decisions: readonly Decision[];
  me: Me;
  /** True if the reader has several cases, so that each request names its own. */
  nameCases: boolean;
}

/** A second tap of a double tap must not decide about the request that moves under the finger. */
const DOUBLE_TAP_MS = 600;

/** The requests that wait for the reader. Those that were decided stay in their place and say what happened. */
export function DecisionList({ decisions, me, nameCases }: Props) {
  const clock = useClock();
  const [decided, setDecided] = useState<ReadonlyMap<number, Decided>>(new Map());
  const [announcement, setAnnouncement] = useState('');
  const [focus, setFocus] = useState<{ id: string } | null>(null);
  const lastDecision = useRef(0);
  const ignoresTaps = () => Date.now() - lastDecision.current < DOUBLE_TAP_MS;
  const shown = mergeDecided(decisions, decided, clock.now);

  // The part that gets the focus may be new, so it is focused once it is there.
  useEffect(() => {
    if (focus !== null) document.getElementById(focus.id)?.focus();
  }, [focus]);

  const decide = (decision: Decision, outcome: Outcome) => {
    lastDecision.current = Date.now();
    setDecided((before) => new Map(before).set(decision.id, { decision, outcome, at: Date.now() }));
    const undo = outcome.canUndo ? ' You can undo this for ten seconds.' : '';
    setAnnouncement(`${outcomeWords(outcome, clock)}${undo}`);
    const at = shown.findIndex((one) => one.decision.id === decision.id);
    const isOpen = (one: ShownDecision) => one.outcome === null;
    const next = shown.slice(at + 1).find(isOpen) ?? shown.slice(0, at).findLast(isOpen);
    setFocus({ id: partId(next?.decision ?? decision) });
  };
  const undone = (decision: Decision) => {
    lastDecision.current = Date.now();
    setDecided((before) => new Map(before).set(decision.id, { decision, outcome: null, at: Date.now() }));
    setAnnouncement('Undone. The request waits for your decision again.');
    setFocus({ id: partId(decision) });
  };
  return (
    <>
      <p className="sr-only" role="status">
        {announcement}
      </p>
      <ul className="grid gap-4">
        {shown.map(({ decision, outcome }) => (
          <li key={decision.id}>
            {outcome === null ? (
              <DecisionCard
                id={partId(decision)}
                request={decision}
                me={me}
                nameCases={nameCases}
                ignoresTaps={ignoresTaps}
                onDecided={(now) => decide(decision, now)}
              />
            ) : (
              <DecisionOutcome
                id={partId(decision)}
                outcome={outcome}
                ignoresTaps={ignoresTaps}
                onUndone={() => undone(decision)}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function partId({ id }: { id: number }): string {
  return `decision-${id}`;
}
