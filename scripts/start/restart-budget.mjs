const PERIOD_MS = 60_000;
const MOST = 5;
const FIRST_DELAY_MS = 250;

/** Allows five restarts a minute, each after twice the wait of the previous one. */
export class RestartBudget {
  /** @type {number[]} */
  #times = [];

  /**
   * @param {number} [now] in ms
   * @returns {number | null} how long to wait before the restart, in ms; null when there have been too many
   */
  next(now = performance.now()) {
    this.#times = this.#times.filter((time) => now - time < PERIOD_MS);
    if (this.#times.length >= MOST) return null;
    this.#times.push(now);
    return FIRST_DELAY_MS * 2 ** (this.#times.length - 1);
  }
}
