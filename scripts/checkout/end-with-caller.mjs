import { spawn } from 'node:child_process';

/**
 * Runs a command and ends it, with all that it has started, as soon as the process that runs this one is gone, be it by
 * `kill -9`: the channel between the two closes then. Leads the group of processes that the command belongs to.
 */
const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

process.on('disconnect', () => {
  child.kill('SIGKILL');
  if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL');
});
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
child.on('exit', (code) => process.exit(code ?? 128));
