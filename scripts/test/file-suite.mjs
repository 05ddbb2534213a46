import * as nodeTest from 'node:test';

/**
 * Replaces `node:test` for test files that share a process. Everything that a file declares at its top level, including hooks,
 * goes into a suite of its own, which ends before the next file is loaded. All other exports are those of `node:test`.
 */
// @ts-expect-error its types name one export; Node.js has each by its name
export * from 'node:test';

/**
 * The declarations of the file that is being loaded, or null while no file is.
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

/** True when several files share this process. */
let isShared = false;
/** Declarations of shared modules, repeated in each file. @type {(() => void)[]} */
const inEach = [];
/** Functions that run after the last file. @type {(() => Promise<unknown>)[]} */
const lasting = [];

/** Returns whether a process or browser that takes seconds to start should be kept for the next file. */
export function filesShareProcess() {
  return isShared;
}

/**
 * Declares the hooks of a module in each file that uses it, because a shared module is loaded only once.
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

/** Ends everything that the files of this process shared, in reverse order. */
export async function endShared() {
  for (const end of lasting.splice(0).reverse()) await end();
}

/**
 * Loads a file and runs its declarations. Its changes to the environment are undone, and so is its `Math.random`: a test that
 * mocked it twice would leave the first mock to the next files.
 * @param {string} name of the suite
 * @param {() => Promise<unknown>} load
 */
export async function runSuite(name, load) {
  const environment = { ...process.env };
  const { random } = Math;
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
  Math.random = random;
}
