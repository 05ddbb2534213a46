interface Throttled {
  /** Acts at once, or once at the end of the interval if it acted less than an interval ago. */
  run: () => void;
  /** Ends the interval. @returns true if it drops an action that was waiting for the end. */
  cancel: () => boolean;
}

/** Limits an action to one run per interval. */
export function throttled(action: () => void, everyMs: number): Throttled {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWaiting = false;
  const endInterval = () => {
    timer = undefined;
    if (isWaiting) run();
  };
  const run = () => {
    isWaiting = timer !== undefined;
    if (isWaiting) return;
    action();
    timer = setTimeout(endInterval, everyMs);
  };
  return {
    run,
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
      const wasWaiting = isWaiting;
      isWaiting = false;
      return wasWaiting;
    },
  };
}
