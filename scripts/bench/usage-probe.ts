/** Loaded before a process's own code: tells the benchmark, when asked, what the process has used so far. */

export interface Usage {
  /** Microseconds of CPU time, all threads, user and system. */
  cpu: number;
  /** Resident bytes. */
  rss: number;
}

process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ answer: 'usage', value: { cpu: user + system, rss: process.memoryUsage.rss() } satisfies Usage });
});
