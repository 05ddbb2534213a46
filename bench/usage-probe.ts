/**
 * Loaded before a process's own code. Answers with the CPU time of all threads of the process in microseconds, or its resident
 * memory in bytes.
 */
process.on('message', (message) => {
  const { user, system } = process.cpuUsage();
  if (message === 'usage') process.send?.({ answer: message, value: user + system });
  if (message === 'memory') process.send?.({ answer: message, value: process.memoryUsage.rss() });
});
