import { runCommand } from '../checkout/run-command.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { installPackages, mayInstallPackages } from './system-packages.mjs';

/**
 * Finds nginx, or installs the system's package if it may.
 * @returns {Promise<string>} the program
 * @throws {Refusal} that says what to do, when there is no nginx
 */
export async function findNginx() {
  const existing = await firstThatStarts();
  if (existing !== undefined) return existing;
  let output = '';
  if (mayInstallPackages()) {
    const packages = ['nginx', 'openssl'];
    output = await installPackages({ packages }, async () => (await firstThatStarts()) !== undefined);
  }
  const installed = await firstThatStarts();
  if (installed !== undefined) return installed;
  throw new Refusal(`${output.trim()}\nThere is no nginx, and none could be installed: install it (and openssl).`);
}

async function firstThatStarts() {
  for (const program of ['nginx', '/usr/sbin/nginx']) {
    const { code } = await runCommand(program, ['-v']);
    if (code === 0) return program;
  }
  return undefined;
}
