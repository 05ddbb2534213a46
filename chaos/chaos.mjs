import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, pinnedNode } from '../scripts/checkout/install.mjs';

/**
 * `npm run chaos -- [--seed N] [--seconds N]`: the platform under load while its processes are killed, its database is ended
 * in immediate mode and its providers fail or hang. Runs on any Node >= 20; the work itself on the Node.js that is pinned.
 */
await ensureInstalled();
const script = fileURLToPath(new URL('./chaos.ts', import.meta.url));
const child = spawn(pinnedNode(), [script, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => child.kill(signal));
}
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
