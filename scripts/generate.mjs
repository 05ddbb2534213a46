import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureApiTypes, ensureStyles } from './checkout/builds.mjs';
import { ROOT } from './checkout/checkout.mjs';
import { ensureInstalled, pinnedNode } from './checkout/install.mjs';
import { runCommand } from './checkout/run-command.mjs';
import { startPostgres } from './postgres/postgres.mjs';

/** `npm run generate`: writes the files that are derived from others (schema, types, route lists). */
await ensureInstalled();
await ensureStyles();
const dataDir = mkdtempSync(join(tmpdir(), 'case-platform-generate-'));
const postgres = await startPostgres({ dataDir, mode: 'throwaway' });
try {
  const env = { ...process.env, DATABASE_URL: postgres.url };
  const onLine = (/** @type {string} */ line) => console.log(line);
  const { code } = await runCommand(pinnedNode(), [join('scripts', 'generate', 'generate.ts')], {
    cwd: ROOT,
    env,
    onLine,
  });
  process.exitCode = code ?? 1;
  if (code === 0) await ensureApiTypes();
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
