/** Loaded before a process's own code: answers with the CPU time that the process has used, all threads, in microseconds. */
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ answer: message, value: user + system });
});
