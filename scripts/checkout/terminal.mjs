/** A problem that a person must solve before the command can continue. It is shown as one line, without a stack. */
export class Refusal extends Error {}

const FIRST_NOTE_MS = 3000;
const NOTE_EVERY_MS = 10_000;

let muted = false;

/** @param {string} line */
export function say(line) {
  if (!muted) process.stdout.write(`${line}\n`);
}

/** Stops all output, because failures from now on are only caused by stopping everything. */
export function mute() {
  muted = true;
}

/**
 * Returns the time since `start`, for people.
 * @param {number} start a `performance.now()`, in ms
 * @returns {string} seconds, such as `3.4 s`
 */
export function since(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/**
 * Runs one step of the work and shows its progress: a line after three seconds, then one every ten, then its end.
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} the result of `work`
 */
export async function step(title, work) {
  const start = performance.now();
  let notes = 0;
  const timer = setInterval(() => {
    if (performance.now() - start < FIRST_NOTE_MS + notes * NOTE_EVERY_MS - 100) return;
    notes += 1;
    say(`  ...  ${title} (${since(start)})`);
  }, 1000);
  try {
    const result = await work();
    say(`  ok   ${title} (${since(start)})`);
    return result;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Shows what went wrong: one line for a refusal, and the stack for a fault of our own.
 * @param {unknown} error
 */
export function sayWhatFailed(error) {
  if (error instanceof Refusal) process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
}
