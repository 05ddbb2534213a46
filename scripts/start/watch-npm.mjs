const LOOK_EVERY_MS = 200;

/**
 * Calls `onGone` when the npm that started this process is gone, because npm then passes on no more signals. (A SIGTERM to npm
 * ends npm and its shell, but not the command of the shell.) The scripts of package.json `exec` node, so npm is the parent, and a
 * process that loses its parent gets another one.
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
