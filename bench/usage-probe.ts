/** Loaded before a process's own code: tells the benchmark, when asked, what the process has used so far. */

export interface Usage {
  /** Microseconds of CPU time, all threads, user and system. */
  cpu: number;
  /** Resident bytes: now, or, once it was asked to watch, the most since then. */
  rss: number;
}

const WATCH_EVERY_MS = 5;
let watching: NodeJS.Timeout | undefined;
let most = 0;

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, rss: process.memoryUsage.rss() };
}

process.on('message', (message) => {
  if (message === 'usage') process.send?.({ answer: message, value: usage() });
  if (message === 'watch') {
    most = 0;
    watching = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, WATCH_EVERY_MS);
    process.send?.({ answer: message, value: usage() });
  }
  if (message === 'watched') {
    clearInterval(watching);
    process.send?.({ answer: message, value: { ...usage(), rss: most } });
  }
});
