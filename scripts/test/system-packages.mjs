import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../checkout/lock.mjs';
import { runCommand } from '../checkout/run-command.mjs';
import { say } from '../checkout/terminal.mjs';

/** The machine's, as its packages are: two checkouts, or two runs in one, want the same at the same moment. */
const LOCK_FOLDER = '/run/case-platform-packages';
/** What apt-get and dpkg say when another program, such as the system's own updates, holds one of their locks. */
const LOCKED = /could not get lock|locked by another process/i;
const LOCKED_AT_MOST_MS = 300_000;
const LOOK_EVERY_MS = 1000;

/** Whether this process may install packages of the system. */
export function mayInstallPackages() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

/**
 * Installs packages of the system, unless another run of ours has done so by the time that this one gets to it.
 * @param {{ packages: string[], optional?: string[] }} wanted what not every system has is optional
 * @param {() => Promise<boolean>} isThere whether what they bring is on the machine
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
 * The lists of packages, their archives and dpkg have a lock each, and `DPkg::Lock::Timeout` is for dpkg's alone: whichever of
 * them is held, the same is asked again.
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
