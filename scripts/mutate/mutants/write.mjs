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

/**
 * A mutant of one text.
 * @param {string} name what is wrong then
 * @param {string} file
 * @param {string} find stands there once
 * @param {string} put
 * @param {(string | string[])[]} tests the files that should notice
 * @returns {Mutant}
 */
export function text(name, file, find, put, ...tests) {
  return { name, patches: [{ file, find, put }], tests: tests.flat() };
}

/**
 * A mutant of the database's schema.
 * @param {string} name
 * @param {string} sql
 * @param {(string | string[])[]} tests
 * @returns {Mutant}
 */
export function schema(name, sql, ...tests) {
  return { name, sql, tests: tests.flat() };
}

/**
 * Several at once: the layers of one defence together.
 * @param {string} name
 * @param {Mutant[]} layers
 * @returns {Mutant}
 */
export function together(name, ...layers) {
  const sql = layers.flatMap((layer) => layer.sql ?? []).join(';\n');
  return {
    name,
    patches: layers.flatMap(({ patches = [] }) => patches),
    ...(sql === '' ? {} : { sql }),
    tests: [...new Set(layers.flatMap(({ tests }) => tests))],
  };
}

/**
 * The same mutant, left out of the count.
 * @param {string} reason why no test can notice it, or need not
 * @param {Mutant} mutant
 * @returns {Mutant}
 */
export function leftOut(reason, mutant) {
  return { ...mutant, reason };
}
