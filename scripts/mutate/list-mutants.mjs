import { Refusal } from '../checkout/terminal.mjs';
import { ACCOUNTS } from './mutants/accounts.mjs';
import { BANKING } from './mutants/banking.mjs';
import { CASES } from './mutants/cases.mjs';
import { DECIDED_RULES } from './mutants/decided-rules.mjs';
import { EDGES } from './mutants/edges.mjs';
import { LIMITS } from './mutants/limits.mjs';
import { MESSAGING } from './mutants/messaging.mjs';
import { MONEY } from './mutants/money.mjs';
import { NOTICES } from './mutants/notices.mjs';
import { SCHEMA } from './mutants/schema.mjs';
import { STORAGE } from './mutants/storage.mjs';
import { TWO_PERSONS } from './mutants/two-persons.mjs';

/**
 * A text of one file that is put in the place of another, which stands there once.
 * @typedef {object} Patch
 * @property {string} file
 * @property {string} find
 * @property {string} put
 */

/**
 * One way in which the platform could be wrong.
 * @typedef {object} Mutant
 * @property {string} name what is wrong then
 * @property {string[]} tests the files that should notice
 * @property {Patch[]} [patches]
 * @property {string} [sql] instead, or as well: run on the test database by the schema's owner
 * @property {string} [reason] why no test can notice it, or need not: it is left out of the count
 */

/** @returns {Mutant[]} */
export function listMutants() {
  const mutants = [
    MONEY,
    BANKING,
    ACCOUNTS,
    MESSAGING,
    CASES,
    STORAGE,
    NOTICES,
    EDGES,
    SCHEMA,
    TWO_PERSONS,
    DECIDED_RULES,
    LIMITS,
  ].flat();
  const names = mutants.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Refusal(`Two mutants are called "${twice}".`);
  return mutants;
}
