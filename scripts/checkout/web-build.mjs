import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aloneOnCheckout, fingerprint, listSources, ROOT } from './checkout.mjs';
import { pinnedNode } from './install.mjs';
import { runCommand } from './run-command.mjs';
import { Refusal } from './terminal.mjs';

const BUILD = join(ROOT, 'apps', 'web', '.next');
/** In the build's own folder, which the next build empties first: no stamp outlives its build. */
const STAMP = join(BUILD, 'built-from');

/** Files that Next.js itself writes into the sources. */
const GENERATED = new Set(['apps/web/next-env.d.ts']);

/**
 * Builds the web frontend, unless what is built is of these sources.
 * @throws {Refusal} with the compiler's output
 */
export async function ensureWebBuild() {
  if (isBuilt()) return;
  await aloneOnCheckout('build the web frontend', async (onStart) => {
    if (!isBuilt()) await build(onStart);
  });
}

/** @param {(pid: number | undefined) => void} onStart */
async function build(onStart) {
  const stamp = sourcesStamp();
  const next = join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next');
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
  const cwd = join(ROOT, 'apps', 'web');
  const { code, output } = await runCommand(pinnedNode(), [next, 'build'], { cwd, env, onStart });
  if (code !== 0) throw new Refusal(`${output.trim()}\nThe web frontend does not build (exit code ${code}).`);
  writeFileSync(STAMP, stamp);
}

function isBuilt() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sourcesStamp();
}

function sourcesStamp() {
  const files = ['apps/web', 'words']
    .flatMap(listSources)
    .filter((file) => !GENERATED.has(file) && !/\.test\.[a-z]+$/.test(file));
  return fingerprint([...files, ...listSources('lib/theme.css'), 'package-lock.json'], process.platform);
}
