import { setTimeout as pause } from 'node:timers/promises';

/** Long enough for something that takes a moment, even on the busiest machine, and short compared to the time limit of a test. */
const WITHIN_MS = 30_000;
const EVERY_MS = 50;

/** The answers of a condition that is not met yet. */
type NotYet = undefined | false;

/** Repeats `ask` until it has an answer, and fails with `what` if it takes too long. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | NotYet> | T | NotYet,
  withinMs = WITHIN_MS,
): Promise<Exclude<T, NotYet>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, NotYet>;
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await pause(EVERY_MS);
  }
}
