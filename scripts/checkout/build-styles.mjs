import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import tailwind from '@tailwindcss/postcss';
import { build } from 'esbuild';
import postcss from 'postcss';
import { ROOT } from './checkout.mjs';

/** Builds the style sheet and the browser scripts of the staff application into the folder that the argument names. */

const [folder = ''] = process.argv.slice(2);
const ADMIN = join(ROOT, 'apps', 'admin');

try {
  await Promise.all([buildSheet(), buildScripts()]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function buildSheet() {
  const base = join(ADMIN, 'assets');
  const from = join(base, 'styles.css');
  const plugins = [tailwind({ base, optimize: { minify: true } })];
  const { css } = await postcss(plugins).process(readFileSync(from, 'utf8'), { from });
  write('app.css', css);
}

/** Bundles each script of `apps/admin/browser` into one file. */
async function buildScripts() {
  const sources = join(ADMIN, 'browser');
  const entryPoints = readdirSync(sources).filter((name) => name.endsWith('.ts'));
  const { outputFiles } = await build({
    absWorkingDir: sources,
    entryPoints,
    bundle: true,
    charset: 'utf8',
    format: 'iife',
    legalComments: 'none',
    minify: true,
    outdir: folder,
    target: 'esnext',
    write: false,
    logLevel: 'silent',
  });
  for (const { path, contents } of outputFiles) write(basename(path), contents);
}

/**
 * Writes a file of the staff application. The rename makes sure that an application that starts meanwhile reads the complete old
 * or new one.
 * @param {string} name
 * @param {string | Uint8Array} content
 */
function write(name, content) {
  const file = join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}
