import { commandLineOf, isAlive, parentOf, processIdentity } from './process-identity.mjs';

const LOOK_EVERY_MS = 200;
const SHELL = /^-?(\S*\/)?(sh|ash|dash|bash|zsh|busybox)\b/;

/**
 * The npm process that has started this one, directly or through a shell.
 * @returns {string | null} its identity; null when npm did not start this process
 */
export function npmIdentity() {
  if (process.env.npm_lifecycle_event === undefined) return null;
  const parent = process.ppid;
  return processIdentity(SHELL.test(commandLineOf(parent)) ? (parentOf(parent) ?? parent) : parent);
}

/**
 * Tells when that npm process has gone: it then takes no signal any more that it could pass on. (A SIGTERM to npm ends
 * npm and its shell, not what the shell runs.)
 * @param {string | null} npm
 * @param {() => void} onGone
 */
export function watchNpm(npm, onGone) {
  if (npm === null) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent && isStill(npm)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/**
 * @param {string} identity
 * @returns {boolean} whether this very process is alive
 */
export function isStill(identity) {
  const pid = Number.parseInt(identity, 10);
  // Elsewhere an identity costs a process of its own, too much to look several times a second.
  return process.platform === 'linux' ? processIdentity(pid) === identity : isAlive(pid);
}
