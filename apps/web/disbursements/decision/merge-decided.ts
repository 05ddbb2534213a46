import type { Home } from '../../api/api-shapes.ts';
import type { Outcome } from './outcome-words.ts';

type Decision = Home['decisions'][number];

/** A request that the reader decided about on this page. */
export interface Decided {
  decision: Decision;
  /** Null if the approval was undone. */
  outcome: Outcome | null;
  /** The list at that time. A later one says whether an undone request still waits. */
  list: readonly Decision[];
}

export type ShownDecision = Pick<Decided, 'decision' | 'outcome'>;

/**
 * The listed requests together with those that were decided here, newest first. A listed request that changed after its decision
 * waits again.
 */
export function mergeDecided(decisions: readonly Decision[], decided: ReadonlyMap<number, Decided>): ShownDecision[] {
  const listed = decisions.map((decision): ShownDecision => {
    const outcome = decided.get(decision.id)?.outcome ?? null;
    return { decision, outcome: outcome !== null && decision.updated_at > outcome.request.updated_at ? null : outcome };
  });
  const gone = [...decided.values()].filter(({ decision, outcome, list }) => {
    return decisions.every(({ id }) => id !== decision.id) && (outcome !== null || list === decisions);
  });
  return [...listed, ...gone].toSorted((one, other) => other.decision.id - one.decision.id);
}
