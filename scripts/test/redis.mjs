import { runCommand } from '../checkout/run-command.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { installPackages, mayInstallPackages } from './system-packages.mjs';

const PROGRAMS = ['redis-server', 'valkey-server'];

/**
 * Finds a Redis or Valkey server, or installs the system's package if it may.
 * @returns {Promise<string>} the program
 * @throws {Refusal} if there is none; its message explains what to install
 */
export async function findRedis() {
  const existing = await firstThatStarts();
  if (existing !== undefined) return existing;
  let output = '';
  if (mayInstallPackages()) {
    output = await installPackages({ packages: ['redis-server'] }, async () => (await firstThatStarts()) !== undefined);
  }
  const installed = await firstThatStarts();
  if (installed !== undefined) return installed;
  throw new Refusal(`${output.trim()}\nThere is no Redis, and none could be installed: install redis-server or valkey-server.`);
}

async function firstThatStarts() {
  for (const program of PROGRAMS) {
    const { code } = await runCommand(program, ['--version']);
    if (code === 0) return program;
  }
  return undefined;
}
