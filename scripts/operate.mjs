import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './checkout/checkout.mjs';
import { pinnedNode } from './checkout/install.mjs';

/**
 * `npm run create-admin` and what else an operator runs: a program of scripts/operate/ by the pinned Node.js. Nothing is
 * installed for it, as it is also run where packages were installed for production alone.
 */
const [program = '', ...args] = process.argv.slice(2);
const { status } = spawnSync(pinnedNode(), [join(ROOT, 'scripts', 'operate', `${program}.ts`), ...args], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
