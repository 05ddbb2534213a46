import { execFileSync } from 'node:child_process';
import { ROOT } from './checkout.mjs';

/**
 * Finds the tag of the newest release (`v1.2.0`) in the history of this checkout.
 * @returns {string | null} null before the first release, in a shallow clone, and in an archive without a repository
 */
export function findNewestRelease() {
  const args = ['describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*'];
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}

/**
 * Reads a file as it was in a commit.
 * @param {string} commit
 * @param {string} path relative to the checkout
 */
export function readCommittedFile(commit, path) {
  return execFileSync('git', ['show', `${commit}:${path}`], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}
