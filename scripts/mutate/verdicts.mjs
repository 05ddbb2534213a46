import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../checkout/checkout.mjs';

/** @typedef {import('./mutants/write.mjs').Mutant} Mutant */

/**
 * What came of a mutant: `noticed`, `survived`, or it has `no place`, because its text is not there once.
 * @typedef {{ outcome: 'noticed' | 'survived' | 'no place', by: string }} Verdict `by`: the test, or what is wrong
 */

/** What is known of mutants, by everything that it hangs on: the mutant, what it changes, and its tests. */
export class Verdicts {
  #file;
  /** @type {Record<string, Verdict>} */
  #known;

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
    this.#known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  }

  /**
   * @param {Mutant} mutant
   * @returns {Verdict | null}
   */
  of(mutant) {
    return this.#known[keyOf(mutant)] ?? null;
  }

  /**
   * @param {Mutant} mutant
   * @param {Verdict} verdict
   */
  keep(mutant, verdict) {
    this.#known[keyOf(mutant)] = verdict;
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, JSON.stringify(this.#known, null, 1));
  }
}

/** @param {Mutant} mutant */
function keyOf({ name, patches = [], sql = '', tests }) {
  const hash = createHash('sha256').update(JSON.stringify([patches, sql, tests]));
  for (const file of [...patches.map((patch) => patch.file), ...tests])
    hash.update(existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file)) : 'none');
  return `${name} ${hash.digest('hex').slice(0, 16)}`;
}
