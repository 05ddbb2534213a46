/** An action that runs at once when it is asked for, and then at most once in this time. */
export function throttled(action: () => void, everyMs: number): { run: () => void; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wanted = false;
  const pass = () => {
    timer = undefined;
    if (wanted) run();
  };
  const run = () => {
    wanted = timer !== undefined;
    if (wanted) return;
    action();
    timer = setTimeout(pass, everyMs);
  };
  return { run, cancel: () => clearTimeout(timer) };
}
