import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../checkout/lock.mjs';
import { runCommand } from '../checkout/run-command.mjs';
import { say } from '../checkout/terminal.mjs';

/** The lock is for the whole machine, because runs of two checkouts may want the same packages at the same time. */
const LOCK_FOLDER = '/run/case-platform-packages';
/** Matches the errors of apt-get and dpkg when another program, such as the system's updates, has one of their locks. */
const LOCKED = /could not get lock|locked by another process/i;
const LOCKED_AT_MOST_MS = 300_000;
const LOOK_EVERY_MS = 1000;

/** Returns whether this process may install packages of the system. */
export function mayInstallPackages() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/**
 * Installs packages of the system, unless another run has done so while this one waited.
 * @param {{ packages: string[], optional?: string[] }} wanted packages that not every system has are optional
 * @param {() => Promise<boolean>} isThere whether their programs are on the machine
 * @param {string} [lockFolder]
 * @returns {Promise<string>} what apt-get wrote
 */
export function installPackages({ packages, optional = [] }, isThere, lockFolder = LOCK_FOLDER) {
  const install = async () => {
    if (await isThere()) return '';
    say(`  ...  installing the system's ${packages.join(' and ')}`);
    let output = await aptGet(['update']);
    for (const names of [packages, optional]) {
      if (names.length > 0) output += await aptGet(['install', '-y', '--no-install-recommends', ...names]);
    }
    return output;
  };
  return withLock(lockFolder, install, () => say('  ...  waiting for another run that installs packages'));
}

/**
 * Runs apt-get, and again while another program has a lock. The lists of packages, their archives, and dpkg have separate
 * locks, and `DPkg::Lock::Timeout` only waits for dpkg's.
 * @param {string[]} args
 */
async function aptGet(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const deadline = performance.now() + LOCKED_AT_MOST_MS;
  let isFirst = true;
  for (;;) {
    const { code, output } = await runCommand('apt-get', args, { env });
    if (code === 0 || !LOCKED.test(output) || performance.now() > deadline) return output;
    if (isFirst) say('  ...  waiting for another program that installs packages');
    isFirst = false;
    await sleep(LOOK_EVERY_MS);
  }
}
