import { runCommand } from '../checkout/run-command.mjs';
import { Refusal } from '../checkout/terminal.mjs';
import { installPackages, mayInstallPackages } from './system-packages.mjs';

/**
 * Finds nginx, or installs the system's package where it may.
 * @returns {Promise<string>} the program
 * @throws {Refusal} that says what to do, when it cannot be had
 */
export async function findNginx() {
  const found = await firstThatStarts();
  if (found !== undefined) return found;
  let output = '';
  if (mayInstallPackages()) {
    // Its main part alone: nothing of it is started then.
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
