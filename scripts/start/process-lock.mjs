import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity } from './process-identity.mjs';

/** @typedef {{ pid: number, identity: string | null, [note: string]: unknown }} Holder */

/**
 * @typedef {object} Lock
 * @property {(note: Record<string, unknown>) => void} tell adds to the note that others find, while the disk takes it
 * @property {() => void} release
 */

/**
 * Takes the lock file at `path` for this process. A lock whose process is gone, however it ended, counts as free.
 * @param {string} path
 * @param {Record<string, unknown>} [note] kept in the file, for whoever finds the lock taken
 * @returns {Lock | { holder: Holder }} the lock, or who holds it
 * @throws the file system's own error when the folder cannot be written
 */
export function takeLock(path, note = {}) {
  const content = JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid), ...note });
  for (;;) {
    if (createWhole(path, content)) return ownLock(path, content);
    const found = readOrEmpty(path);
    const holder = parseHolder(found);
    if (holder !== null && holder.identity !== null && processIdentity(holder.pid) === holder.identity) {
      return { holder };
    }
    discardStale(path, found);
  }
}

/**
 * Waits for the lock at `path`, then does the work.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @param {() => void} onWait called once when another process holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(path, work, onWait) {
  let lock = takeLock(path);
  if ('holder' in lock) onWait();
  while ('holder' in lock) {
    await sleep(200);
    lock = takeLock(path);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * @param {string} path
 * @param {string} content
 * @returns {Lock}
 */
function ownLock(path, content) {
  let own = content;
  return {
    tell: (note) => {
      if (readOrEmpty(path) !== own) return;
      const told = JSON.stringify({ ...JSON.parse(own), ...note });
      if (replaceWhole(path, told)) own = told;
    },
    release: () => {
      if (readOrEmpty(path) === own) rmSync(path, { force: true });
    },
  };
}

/**
 * Makes the file together with its content, so that nobody reads half of it; false when it is there already.
 * @param {string} path
 * @param {string} content
 */
function createWhole(path, content) {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    linkSync(draft, path);
    return true;
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
    if (code === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    return createWithoutLink(path, content);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * @param {string} path
 * @param {string} content
 * @returns {boolean} false when it is as it was, because the disk is full
 */
function replaceWhole(path, content) {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    renameSync(draft, path);
    return true;
  } catch {
    rmSync(draft, { force: true });
    return false;
  }
}

/**
 * For file systems without hard links.
 * @param {string} path
 * @param {string} content
 */
function createWithoutLink(path, content) {
  try {
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Moves a stale lock aside. Two processes may find it stale at once and the slower one would then move away the lock
 * that the faster one has just taken: what was moved is compared with what was judged, and put back when it differs.
 * @param {string} path
 * @param {string} stale
 */
function discardStale(path, stale) {
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    renameSync(path, aside);
    if (readOrEmpty(aside) !== stale) linkSync(aside, path);
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
    if (!['ENOENT', 'EEXIST'].includes(code)) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** @param {string} path */
function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * @param {string} text
 * @returns {Holder | null}
 */
function parseHolder(text) {
  try {
    const holder = JSON.parse(text);
    return Number.isInteger(holder.pid) ? { identity: null, ...holder } : null;
  } catch {
    return null;
  }
}
