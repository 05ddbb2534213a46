import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const uid = process.getuid?.() ?? 0;

/** Places for folders that another user must be able to enter, best first. */
const FOLDERS = [
  '/var/lib/case-platform',
  join(tmpdir(), `case-platform-${uid}`),
  `/tmp/case-platform-${uid}`,
  `/var/tmp/case-platform-${uid}`,
];

/**
 * Yields folders outside the checkout that only we can write. Each is made only when the caller could not use the previous one.
 * @returns {Generator<string>} empty when no folder can be made
 */
export function* outsideFolders() {
  for (const folder of FOLDERS) {
    try {
      mkdirSync(folder, { recursive: true });
      if (!isOurs(folder)) continue;
      chmodSync(folder, 0o755);
    } catch {
      continue;
    }
    yield realpathSync(folder);
  }
}

/** @returns {string[]} those of the folders that exist */
export function existingOutsideFolders() {
  return [...new Set(FOLDERS)].filter(isOurs).map((folder) => realpathSync(folder));
}

/**
 * Checks the owner, because anyone may make a folder of a known name in a temporary folder.
 * @param {string} folder
 */
function isOurs(folder) {
  const entry = lstatSync(folder, { throwIfNoEntry: false });
  return entry?.isDirectory() === true && entry.uid === uid;
}
