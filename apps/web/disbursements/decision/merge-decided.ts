import type { Home } from '../../api/api-shapes.ts';
import type { Outcome } from './outcome-words.ts';

type Decision = Home['decisions'][number];

/** A request that the reader decided about on this page. */
export interface Decided {
  decision: Decision;
  /** Null if the approval was undone. */
  outcome: Outcome | null;
  /** The time of the decision, or of its undo, in milliseconds. */
  at: number;
}

/** A list that the server rendered before an undo may arrive after it. */
const LIST_LAG_MS = 10_000;

export type ShownDecision = Pick<Decided, 'decision' | 'outcome'>;

/** True if a waiting request changed after its decision here, which therefore no longer counts. */
export function waitsAgain({ updated_at }: Pick<Decision, 'updated_at'>, { request }: Outcome): boolean {
  return updated_at > request.updated_at;
}

/**
 * The listed requests together with those that were decided here, newest first. A listed request that changed after its decision
 * waits again.
 */
export function mergeDecided(
  decisions: readonly Decision[],
  decided: ReadonlyMap<number, Decided>,
  now: number,
): ShownDecision[] {
  const listed = decisions.map((decision): ShownDecision => {
    const outcome = decided.get(decision.id)?.outcome ?? null;
    return { decision, outcome: outcome !== null && waitsAgain(decision, outcome) ? null : outcome };
  });
  const gone = [...decided.values()].filter(({ decision, outcome, at }) => {
    return decisions.every(({ id }) => id !== decision.id) && (outcome !== null || now - at < LIST_LAG_MS);
  });
  return [...listed, ...gone].toSorted((one, other) => other.decision.id - one.decision.id);
}
