/**
 * Runs at most `max` pieces of work at a time, and one at a time for each owner. Owners take turns, so that a long queue of one
 * person delays another by at most one piece of work (PICTURE-4).
 */
export class FairTurns {
  readonly #max: number;
  readonly #busy = new Set<string>();
  /** By owner; the owner whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs `work` when it is its owner's turn. Rejects with the reason of `signal` if it aborts in the meantime. */
  async run<Result>(owner: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    await this.#wait(owner, signal);
    try {
      return await work();
    } finally {
      this.#busy.delete(owner);
      this.#moveToEnd(owner);
      this.#startNext();
    }
  }

  #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((start, leave) => {
      if (signal?.aborted) return leave(signal.reason);
      const begin = () => {
        signal?.removeEventListener('abort', onAbort);
        start();
      };
      const onAbort = () => {
        const queue = (this.#waiting.get(owner) ?? []).filter((other) => other !== begin);
        if (queue.length === 0) this.#waiting.delete(owner);
        else this.#waiting.set(owner, queue);
        leave(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), begin]);
      this.#startNext();
    });
  }

  #moveToEnd(owner: string): void {
    const queue = this.#waiting.get(owner);
    if (queue === undefined) return;
    this.#waiting.delete(owner);
    this.#waiting.set(owner, queue);
  }

  #startNext(): void {
    for (const [owner, [next, ...rest]] of this.#waiting) {
      if (this.#busy.size >= this.#max) return;
      if (this.#busy.has(owner)) continue;
      this.#waiting.delete(owner);
      if (rest.length > 0) this.#waiting.set(owner, rest);
      this.#busy.add(owner);
      next?.();
    }
  }
}
