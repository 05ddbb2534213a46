/** @typedef {import('./mutants/write.mjs').Mutant} Mutant */

const WANTED = 0.95;

/**
 * Says how many mutants were noticed, and names the others.
 * @param {Mutant[]} mutants
 * @param {import('./verdicts.mjs').Verdicts} verdicts
 * @param {(line: string) => void} say
 * @returns {number} exit code
 */
export function report(mutants, verdicts, say) {
  const named = mutants.map((mutant) => ({ ...mutant, ...(verdicts.of(mutant) ?? { outcome: 'untried', by: '' }) }));
  const matter = named.filter(({ reason }) => reason === undefined);
  const of = (/** @type {string} */ outcome) => matter.filter((mutant) => mutant.outcome === outcome);
  for (const { name, by } of of('no place')) say(`NO PLACE  ${name}: ${by}`);
  for (const { name, tests } of of('survived')) say(`SURVIVED  ${name} (${tests.join(', ')})`);
  for (const { name, reason } of named.filter((mutant) => mutant.reason !== undefined))
    say(`LEFT OUT  ${name}: ${reason}`);
  const [noticed, tried] = [of('noticed').length, matter.length - of('untried').length];
  say(`${noticed} of ${tried} mutants that matter were noticed; ${of('untried').length} were not tried yet.`);
  return of('no place').length === 0 && noticed >= tried * WANTED ? 0 : 1;
}

/**
 * Says how many changed operators were noticed.
 * @param {import('./operators.mjs').Operator[]} operators
 * @param {(line: string) => void} say
 * @returns {number} exit code
 */
export function reportOperators(operators, say) {
  const noticed = operators.filter((operator) => operator.noticed).length;
  say(`${noticed} of ${operators.length} changes of operators were noticed.`);
  return noticed >= operators.length * WANTED ? 0 : 1;
}
