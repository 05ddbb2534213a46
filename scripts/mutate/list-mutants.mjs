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
import { PARTS } from './mutants/parts.mjs';
import { PERSONS } from './mutants/persons.mjs';
import { RETURNS } from './mutants/returns.mjs';
import { SCHEMA } from './mutants/schema.mjs';
import { SIMULATED } from './mutants/simulated.mjs';
import { STATEMENTS } from './mutants/statements.mjs';
import { STORAGE } from './mutants/storage.mjs';
import { TWO_PERSONS } from './mutants/two-persons.mjs';

/** @typedef {import('./mutants/write.mjs').Mutant} Mutant */

/** @returns {Mutant[]} */
export function listMutants() {
  const mutants = [
    MONEY,
    BANKING,
    ACCOUNTS,
    MESSAGING,
    CASES,
    STORAGE,
    RETURNS,
    STATEMENTS,
    NOTICES,
    EDGES,
    SCHEMA,
    TWO_PERSONS,
    PERSONS,
    DECIDED_RULES,
    LIMITS,
    SIMULATED,
    PARTS,
  ].flat();
  const names = mutants.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Refusal(`Two mutants are called "${twice}".`);
  return mutants;
}
