import { spawn } from 'node:child_process';

/**
 * The server runs under a shell that stops it as soon as its standard input closes. The system closes that when this
 * process ends, even by `kill -9`, so that no server outlives its supervisor.
 */
const WATCHED = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(read -r _ <&3; kill -INT "$server") 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"
kill "$watcher" 2>/dev/null
`;

/**
 * Starts a server that ends when this process ends or closes its standard input.
 * @param {readonly string[]} command
 * @param {import('node:child_process').SpawnOptions & { output: number | 'ignore' }} options
 * @returns {import('node:child_process').ChildProcess} the shell, which leads a process group of its own
 */
export function spawnWatched(command, { output, ...options }) {
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', ...command], {
    ...options,
    detached: true,
    stdio: ['pipe', output, output],
  });
  child.stdin?.on('error', () => {});
  return child;
}
