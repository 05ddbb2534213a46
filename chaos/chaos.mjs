import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureInstalled, pinnedNode } from '../scripts/checkout/install.mjs';

/** Options that take a number. */
const NUMBERS = new Set(['--seed', '--seconds', '--steps']);

/**
 * `npm run chaos -- [--seed N] [--seconds N]`: runs the platform under load while its processes and Redis are killed, its
 * database is ended in immediate mode or replaced by its standby, and its providers fail or hang. This file runs on
 * Node.js 20 or newer, and the work on the pinned one.
 *
 * `npm run chaos -- --money [--seed N] [--steps N]`: runs every command that moves money, by everyone, in any order
 * (test/money/simulator.test.ts).
 *
 * `npm run chaos -- --upgrade [--from COMMIT] [--seconds N]`: upgrades from the newest release, or from a commit, under load, and
 * goes back again (chaos/upgrade.ts).
 */
const wrong = process.argv.find((_, at, all) => NUMBERS.has(all[at - 1] ?? '') && !/^\d{1,9}$/.test(all[at] ?? ''));
if (wrong !== undefined) {
  console.error(`${wrong} is not a whole number.`);
  process.exit(2);
}
await ensureInstalled();
const child = process.argv.includes('--money') ? simulateMoney() : breakPlatform(process.argv.includes('--upgrade'));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => child.kill(signal));
}
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});

/** @param {boolean} byUpgrade */
function breakPlatform(byUpgrade) {
  const script = fileURLToPath(new URL(byUpgrade ? './upgrade.ts' : './chaos.ts', import.meta.url));
  return spawn(pinnedNode(), [script, ...process.argv.slice(2)], { stdio: 'inherit' });
}

function simulateMoney() {
  const number = { type: /** @type {const} */ ('string') };
  const { values } = parseArgs({ options: { money: { type: 'boolean' }, seed: number, steps: number } });
  const script = fileURLToPath(new URL('../scripts/test.mjs', import.meta.url));
  const env = {
    ...process.env,
    MONEY_SEED: values.seed ?? String(randomInt(1_000_000)),
    MONEY_STEPS: values.steps ?? '1000',
  };
  return spawn(process.execPath, [script, 'test/money/simulator.test.ts'], { stdio: 'inherit', env });
}
