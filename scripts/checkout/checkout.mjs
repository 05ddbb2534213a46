import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { Refusal, say } from './terminal.mjs';

/** The folder of the checkout that these scripts belong to. */
export const ROOT = realpathSync(join(dirname(fileURLToPath(import.meta.url)), '../..'));

/** The folder for `NODE_COMPILE_CACHE`, with which the processes of a development machine start about a fifth faster. */
export const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'compiled');
/** The folder that lib/process/strip-types.mjs fills, in the checkout and in an installation. */
export const STRIPPED = join('node_modules', '.cache', 'stripped');

/**
 * Options of Node.js for a layer, which starts in the checkout.
 *
 * - A larger semispace makes the process larger, and a smaller one makes parts of long bodies old before they are sent on.
 * - V8 otherwise makes objects old at once where many survived before (allocation site pretenuring). Rows of answered requests
 *   then stay until the next full collection, with everything that they refer to: a list cost the API a third more.
 * - A heap with a limit of 512 MiB is collected after it has grown by some two fifths, a larger one only when it is four times as
 *   large. The API needs about 50 MiB.
 */
export const LAYER_OPTIONS = [
  '--import=./lib/process/strip-types.mjs',
  '--max-semi-space-size=4',
  '--no-allocation-site-pretenuring',
  '--max-old-space-size=512',
];

/**
 * The environment of a layer. By default the C library gives each thread its own memory arena, most of which stays empty, and
 * raises its threshold after the first large block, so that freed pieces of 64 KiB leave holes: after 44 uploads at once the API
 * kept up to 85 MiB. With a fixed threshold such a piece goes back to the system when it is freed.
 */
export const LAYER_ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536' };

const NOT_SOURCE = new Set(['node_modules', '.next', '.built', '.git', '.data']);

/**
 * Lists the source files in a folder, or a single file, sorted. Installed and built files are left out.
 * @param {string} path relative to the checkout
 * @returns {string[]} paths relative to the checkout, with forward slashes; none when there is no such path
 */
export function listSources(path) {
  const absolute = join(ROOT, path);
  if (!existsSync(absolute)) return [];
  /** @type {string[]} */
  const files = [];
  const visit = (/** @type {string} */ folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !NOT_SOURCE.has(entry.name)) visit(join(folder, entry.name));
      else if (entry.isFile()) files.push(join(folder, entry.name));
    }
  };
  try {
    visit(absolute);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOTDIR') throw error;
    files.push(absolute);
  }
  return files.map((file) => relative(ROOT, file).replaceAll('\\', '/')).sort();
}

/**
 * Returns a fingerprint of the names and contents of files.
 * @param {string[]} files relative to the checkout
 * @param {string} [salt] anything else that the result depends on
 * @returns {string} hexadecimal
 */
export function fingerprint(files, salt = '') {
  const hash = createHash('sha256').update(salt);
  for (const file of files) {
    const content = readFileSync(join(ROOT, file));
    hash.update(`\0${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * Runs work that only one process at a time may do on this checkout, such as installing. Others wait for their turn.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function aloneOnCheckout(name, work) {
  const data = join(ROOT, '.data');
  try {
    mkdirSync(data, { recursive: true, mode: 0o711 });
  } catch (error) {
    throw new Refusal(`${data} cannot be made (${/** @type {NodeJS.ErrnoException} */ (error).code}).`);
  }
  const folder = join(data, 'alone', name.replaceAll(' ', '-'));
  return withLock(folder, work, () => say(`  ...  waiting for another process to ${name}`));
}
