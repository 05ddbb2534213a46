import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What is wrong with where a mutant is to be made: its text has to stand there once, and its tests have to be there.
 * @param {string} root of the tree
 * @param {import('./mutants/write.mjs').Mutant} mutant
 * @returns {string | null} null when nothing is
 */
export function findWrongPlace(root, { patches = [], tests }) {
  for (const { file, find } of patches) {
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null;
    if (text === null) return `there is no ${file}`;
    const times = text.split(find).length - 1;
    if (times !== 1) return `${file} holds ${times} times: ${find}`;
  }
  const missing = tests.find((test) => !existsSync(join(root, test)));
  return missing === undefined ? null : `there is no ${missing}`;
}
