/** Loaded before a process's own code. Answers with the CPU time of all threads of the process, in microseconds. */
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ answer: message, value: user + system });
});
