/**
 * Limits an action to one run per interval. The first call of `run` acts at once; calls during the interval act once at its end.
 * @param isDue is asked at the end of the interval; if it returns false, those calls are dropped.
 */
export function throttled(
  action: () => void,
  everyMs: number,
  isDue: () => boolean = () => true,
): { run: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRequested = false;
  const endInterval = () => {
    timer = undefined;
    if (isRequested && isDue()) run();
  };
  const run = () => {
    isRequested = timer !== undefined;
    if (isRequested) return;
    action();
    timer = setTimeout(endInterval, everyMs);
  };
  return {
    run,
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
