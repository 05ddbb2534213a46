import * as nodeTest from 'node:test';

/**
 * What test files get for `node:test` while several of them share a process: whatever a file declares at its top level, hooks
 * included, is put into a suite of its own, which has ended before the next file is loaded. Everything else is as it is there.
 */
// @ts-expect-error its types name one export; Node.js has each by its name
export * from 'node:test';

/**
 * What the file that is being loaded has declared; null while none is.
 * @type {(() => unknown)[] | null}
 */
let declared = null;

/**
 * @template {(...args: any[]) => unknown} Declare
 * @param {Declare} declare
 * @returns {Declare}
 */
function collect(declare) {
  const collected = (/** @type {any[]} */ ...args) => {
    if (declared === null) return declare(...args);
    declared.push(() => declare(...args));
  };
  return /** @type {Declare} */ (collected);
}

export const before = collect(nodeTest.before);
export const after = collect(nodeTest.after);
export const beforeEach = collect(nodeTest.beforeEach);
export const afterEach = collect(nodeTest.afterEach);
export const test = Object.assign(collect(nodeTest.test), { before, after, beforeEach, afterEach });
export const it = test;
export const describe = collect(nodeTest.describe);
export const suite = describe;
export default test;

/** Whether several files share this process. */
let isShared = false;
/** What each of them declares besides its own. @type {(() => void)[]} */
const inEach = [];
/** What ends after the last of them. @type {(() => Promise<unknown>)[]} */
const lasting = [];

/** Whether what costs seconds to start is worth keeping for the next file. */
export function filesShareProcess() {
  return isShared;
}

/**
 * For a module that test files use, and that is loaded once: declares its hooks in each file.
 * @param {() => void} declare
 */
export function inEachFile(declare) {
  if (isShared) inEach.push(declare);
  else declare();
}

/**
 * Ends something after the last file that may use it.
 * @param {() => Promise<unknown>} end
 */
export function afterFiles(end) {
  if (isShared) lasting.push(end);
  else nodeTest.after(end);
}

/** Ends what the files of this process have shared, the last first. */
export async function endShared() {
  for (const end of lasting.splice(0).reverse()) await end();
}

/**
 * Loads a file and runs what it declares. What it changes in the environment is put back.
 * @param {string} name of the suite
 * @param {() => Promise<unknown>} load
 */
export async function runSuite(name, load) {
  const environment = { ...process.env };
  isShared = true;
  declared = [];
  try {
    await load();
  } catch (error) {
    declared.push(() => nodeTest.test('is loaded', () => Promise.reject(error)));
  }
  const declarations = declared;
  declared = null;
  await nodeTest.describe(name, () => {
    for (const declare of [...inEach, ...declarations]) declare();
  });
  for (const added of Object.keys(process.env)) if (!(added in environment)) delete process.env[added];
  Object.assign(process.env, environment);
}
