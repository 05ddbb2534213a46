import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './checkout/checkout.mjs';
import { pinnedNode } from './checkout/install.mjs';

/**
 * Runs a program of scripts/operate/ with the pinned Node.js, such as `npm run create-admin`. It installs nothing, because it
 * also runs where only production packages are installed.
 */
const [program = '', ...args] = process.argv.slice(2);
const { status } = spawnSync(pinnedNode(), [join(ROOT, 'scripts', 'operate', `${program}.ts`), ...args], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
