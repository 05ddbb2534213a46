import { chmodSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const uid = process.getuid?.() ?? 0;

/** Where things lie that another user must be able to enter, best first. */
const FOLDERS = [
  '/var/lib/case-platform',
  join(tmpdir(), `case-platform-${uid}`),
  `/tmp/case-platform-${uid}`,
  `/var/tmp/case-platform-${uid}`,
];

/**
 * Folders outside the checkout that are ours alone to write; each is made only when the one before it did not do.
 * @returns {Generator<string>} none when no such place can be had
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

/** @returns {string[]} those of the folders that are there */
export function existingOutsideFolders() {
  return [...new Set(FOLDERS)].filter(isOurs).map((folder) => realpathSync(folder));
}

/**
 * Anybody may make a folder of a known name in a temporary folder: only one that we own will do.
 * @param {string} folder
 */
function isOurs(folder) {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === uid;
}
