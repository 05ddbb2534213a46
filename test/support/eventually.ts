import { setTimeout as pause } from 'node:timers/promises';

/** Long for what takes a moment, on the busiest machine too; short beside the time that a whole test has. */
const WITHIN_MS = 30_000;
const EVERY_MS = 50;

/** What is not yet so; an answer of `false` is none either. */
type NotYet = undefined | false;

/** Asks again until there is an answer; what never comes fails with `what`. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | NotYet> | T | NotYet,
  withinMs = WITHIN_MS,
): Promise<Exclude<T, NotYet>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined && found !== false) return found as Exclude<T, NotYet>;
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await pause(EVERY_MS);
  }
}
