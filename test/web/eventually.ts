import { setTimeout as pause } from 'node:timers/promises';

const WITHIN_MS = 30_000;
const EVERY_MS = 50;

/** Asks again until there is an answer; what never comes fails with `what`. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await pause(EVERY_MS);
  }
}
