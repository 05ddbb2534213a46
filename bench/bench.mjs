import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, pinnedNode } from '../scripts/checkout/install.mjs';
import { killCommands } from '../scripts/checkout/run-command.mjs';
import { sayWhatFailed, step } from '../scripts/checkout/terminal.mjs';

/**
 * `npm run bench`: measures the platform on a database of its own, which is gone afterwards. Runs on any Node >= 20
 * with nothing installed; the measuring itself (bench.ts) runs on the Node.js that the project pins. `--help` lists the
 * options.
 */

const INTERRUPTED = 130;
let interrupted = false;
/** @type {import('node:child_process').ChildProcess | undefined} */
let bench;

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    interrupted = true;
    killCommands('SIGTERM');
    bench?.kill('SIGTERM');
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!interrupted) sayWhatFailed(error);
  process.exitCode = interrupted ? INTERRUPTED : 1;
}

/** @param {string[]} args */
async function main(args) {
  await ensureInstalled();
  if (args.includes('--help')) return measure(args, {});
  // This import needs the installed packages.
  const { startPostgres } = await import('../scripts/postgres/postgres.mjs');
  const dataDir = mkdtempSync(join(tmpdir(), 'case-platform-bench-'));
  try {
    const postgres = await step('Starting PostgreSQL', () => startPostgres({ dataDir, mode: 'throwaway' }));
    try {
      return interrupted ? INTERRUPTED : await measure(args, { DATABASE_URL: postgres.url, DATA_DIR: dataDir });
    } finally {
      await postgres.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * @param {string[]} args
 * @param {Record<string, string>} settings
 * @returns {Promise<number>} the exit code
 */
function measure(args, settings) {
  return new Promise((resolve, reject) => {
    bench = spawn(pinnedNode(), [fileURLToPath(new URL('bench.ts', import.meta.url)), ...args], {
      // The channel lets it notice when this process is gone, however it ended.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...settings },
    });
    bench.once('error', reject);
    bench.once('exit', (code) => resolve(interrupted ? INTERRUPTED : (code ?? 1)));
  });
}
