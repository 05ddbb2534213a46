/**
 * Parameters of fast-check for a property of a parser: `numRuns` inputs, or as many as fit into `withinMs`, in `npm test`, and as
 * many as fit into `FUZZ_SECONDS` in `npm run fuzz`.
 */
export function fuzzing(numRuns: number, withinMs?: number): { numRuns: number; interruptAfterTimeLimit?: number } {
  const seconds = Number(process.env.FUZZ_SECONDS ?? 0);
  if (seconds > 0) return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: seconds * 1000 };
  return withinMs === undefined ? { numRuns } : { numRuns, interruptAfterTimeLimit: withinMs };
}
