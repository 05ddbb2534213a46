/**
 * An action that runs at once when it is asked for, and then at most once in this time.
 * @param isDue whether what was asked for meanwhile is still to be done when the time is over.
 */
export function throttled(
  action: () => void,
  everyMs: number,
  isDue: () => boolean = () => true,
): { run: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wanted = false;
  const pass = () => {
    timer = undefined;
    if (wanted && isDue()) run();
  };
  const run = () => {
    wanted = timer !== undefined;
    if (wanted) return;
    action();
    timer = setTimeout(pass, everyMs);
  };
  return {
    run,
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
