import { setTimeout as sleep } from 'node:timers/promises';

const ONE_OF_EACH = [
  ...(['kill -9 worker', 'kill -9 api', 'kill -9 publisher', 'database, immediate', 'promote the standby'] as const),
  ...(['kill Redis', 'providers fail', 'providers hang'] as const),
];
export type Fault = (typeof ONE_OF_EACH)[number] | 'providers work';
const FAULTS: Fault[] = [...ONE_OF_EACH, 'kill -9 worker', 'kill -9 api', 'kill Redis', 'providers work', 'providers work'];

/** Returns a function that makes the same numbers from 0 to 1 for the same seed on every machine (mulberry32). */
export function randomBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Cause = (fault: Fault) => Promise<void>;

/**
 * Causes a fault every one to three seconds until the time is over. It waits until a message was acknowledged after the last
 * fault, because a slow machine would otherwise never recover.
 */
export async function breakFor(
  seconds: number,
  { acknowledged, random, cause }: { acknowledged: readonly unknown[]; random: () => number; cause: Cause },
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    await sleep(Math.min(1000 + random() * 2000, Math.max(0, until - performance.now())));
    const count = acknowledged.length;
    while (acknowledged.length === count && performance.now() < until) await sleep(10);
    if (performance.now() < until) await cause(pick(FAULTS, random));
  }
}

/** Causes each fault once, in an order from the seed, after some messages were acknowledged since the last one. */
export async function breakOnce(acknowledged: readonly unknown[], random: () => number, cause: Cause): Promise<void> {
  const remaining = new Set(ONE_OF_EACH);
  while (remaining.size > 0) {
    const fault = pick([...remaining], random);
    await moreThan(acknowledged, Math.floor(random() * 8));
    await cause(fault);
    remaining.delete(fault);
  }
  await moreThan(acknowledged, 2);
}

async function moreThan(acknowledged: readonly unknown[], count: number): Promise<void> {
  const enough = acknowledged.length + count + 1;
  while (acknowledged.length < enough) await sleep(10);
}

function pick<Name extends Fault>(faults: readonly Name[], random: () => number): Name {
  return faults[Math.floor(random() * faults.length)] as Name;
}
