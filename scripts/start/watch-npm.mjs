const LOOK_EVERY_MS = 200;

/**
 * Tells when the npm that has started this process is gone: it then takes no signal any more that it could pass on. (A
 * SIGTERM to npm ends npm and its shell, not what the shell runs.) The scripts of package.json `exec` node, so that npm is
 * the parent; who loses a parent is given another one.
 * @param {() => void} onGone
 * @returns {() => boolean} whether it is gone
 */
export function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return () => false;
  const npm = process.ppid;
  const isGone = () => process.ppid !== npm;
  const timer = setInterval(() => {
    if (!isGone()) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
  return isGone;
}
