import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aloneOnCheckout, COMPILE_CACHE, fingerprint, LAYER_OPTIONS, listSources, ROOT } from './checkout.mjs';
import { pinnedNode } from './install.mjs';
import { runCommand } from './run-command.mjs';
import { Refusal } from './terminal.mjs';

/** What of the sources is built: never committed, built when it is wanted and kept until its sources change. */
const WEB = join(ROOT, 'apps', 'web', '.next');
const STYLES = join(ROOT, 'apps', 'admin', '.built');
/** In the build's own folder, which the next build of the web frontend empties first: no stamp outlives its build. */
const STAMP = 'built-from';
const API_TYPES = join(ROOT, 'apps', 'web', '.built');

/** In an order in which each finds much of what the one before has left. */
const LAYERS = ['api', 'admin', 'worker', 'storage', 'web'];

/** The look of both applications. */
const THEME = ['lib/theme.css', 'lib/theme'];

/** Files that Next.js itself writes into the sources. */
const GENERATED = new Set(['apps/web/next-env.d.ts']);

/**
 * Builds the web frontend, unless what is built is of these sources.
 * @throws {Refusal} with the compiler's output
 */
export function ensureWebBuild() {
  const sources = () => {
    const files = ['apps/web', 'words', ...THEME]
      .flatMap(listSources)
      .filter((file) => !GENERATED.has(file) && !/\.test\.[a-z]+$/.test(file));
    return fingerprint([...files, 'package-lock.json'], process.platform);
  };
  return ensureBuild({ name: 'build the web frontend', folder: WEB, sources, build: buildWeb });
}

/**
 * Writes the types of the JSON API for the web frontend, unless they are those of the committed description.
 * @throws {Refusal} with the generator's output
 */
export function ensureApiTypes() {
  const sources = () => fingerprint(['apps/api/openapi.json', 'package-lock.json']);
  return ensureBuild({ name: 'write the API types', folder: API_TYPES, sources, build: buildApiTypes });
}

/**
 * Builds the style sheet of the staff application from its css files, the theme and the class names in its pages, and bundles its
 * browser scripts, unless both were built from these sources.
 * @throws {Refusal} with the compiler's output
 */
export function ensureStyles() {
  const folders = ['apps/admin', 'words', 'lib/browser', ...THEME];
  const sources = () => fingerprint([...folders.flatMap(listSources), 'package-lock.json']);
  const build = () => Promise.all([buildStyles(), buildScripts()]);
  return ensureBuild({ name: 'build the styles', folder: STYLES, sources, build });
}

/**
 * Has Node.js keep what it makes of the layers' sources, unless it has kept it of these: a process that takes the types out of a
 * single file itself holds 24 MiB more for as long as it runs.
 */
export async function ensureCompiled() {
  const isCode = (/** @type {string} */ file) => file.endsWith('.ts') && !file.endsWith('.test.ts');
  const places = [...LAYERS.map((name) => `apps/${name}`), 'modules', 'lib', 'words', 'db'];
  const sources = () => fingerprint([...places.flatMap(listSources).filter(isCode), 'package-lock.json'], pinnedNode());
  try {
    await ensureBuild({ name: 'compile the layers', folder: COMPILE_CACHE, sources, build: compileLayers });
  } catch {
    // Where nothing can be written they start all the same.
  }
}

/**
 * @param {object} wanted
 * @param {string} wanted.name of the work, such as `build the styles`
 * @param {string} wanted.folder what is built lies in
 * @param {() => string} wanted.sources a fingerprint of all that it is made of
 * @param {() => Promise<unknown>} wanted.build
 */
async function ensureBuild({ name, folder, sources, build }) {
  const stamp = join(folder, STAMP);
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === sources();
  if (isBuilt()) return;
  await aloneOnCheckout(name, async () => {
    if (isBuilt()) return;
    const before = sources();
    await build();
    writeFileSync(stamp, before);
  });
}

async function buildApiTypes() {
  const generator = join(ROOT, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
  const file = join(API_TYPES, 'api-types.d.ts');
  mkdirSync(API_TYPES, { recursive: true });
  const args = [generator, join('apps', 'api', 'openapi.json'), '--output', `${file}.new`];
  const { code, output } = await runCommand(pinnedNode(), args, { cwd: ROOT });
  if (code !== 0) throw new Refusal(`${output.trim()}\nThe types of the API cannot be written (exit code ${code}).`);
  // A compiler that runs meanwhile reads the old types or the new ones, never half of them.
  renameSync(`${file}.new`, file);
}

async function buildWeb() {
  await ensureApiTypes();
  const next = join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next');
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
  const cwd = join(ROOT, 'apps', 'web');
  const { code, output } = await runCommand(pinnedNode(), [next, 'build'], { cwd, env });
  if (code !== 0) throw new Refusal(`${output.trim()}\nThe web frontend does not build (exit code ${code}).`);
}

/** Without settings a layer in production has loaded all that it starts with, and then refuses to start. */
async function compileLayers() {
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', NODE_COMPILE_CACHE: COMPILE_CACHE };
  mkdirSync(COMPILE_CACHE, { recursive: true });
  for (const name of LAYERS)
    await runCommand(pinnedNode(), [...LAYER_OPTIONS, join('apps', name, 'main.ts')], {
      cwd: ROOT,
      env,
    });
}

async function buildStyles() {
  const tailwind = join(ROOT, 'node_modules', '@tailwindcss', 'cli', 'dist', 'index.mjs');
  const cwd = join(ROOT, 'apps', 'admin', 'assets');
  const made = join(STYLES, 'app.css.new');
  mkdirSync(STYLES, { recursive: true });
  const args = [tailwind, '--input', 'styles.css', '--output', made, '--minify'];
  const { code, output } = await runCommand(pinnedNode(), args, { cwd });
  if (code !== 0) throw new Refusal(`${output.trim()}\nThe styles do not build (exit code ${code}).`);
  // An application that starts meanwhile reads the old ones or the new ones, never half of them.
  renameSync(made, join(STYLES, 'app.css'));
}

/** Each script of `apps/admin/browser` becomes one file that needs no other. */
async function buildScripts() {
  // Loaded here, because this file is imported before packages are installed.
  const { build } = await import('esbuild');
  const folder = join(ROOT, 'apps', 'admin', 'browser');
  const entryPoints = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints,
    bundle: true,
    charset: 'utf8',
    format: 'iife',
    legalComments: 'none',
    minify: true,
    outdir: STYLES,
    target: 'esnext',
    write: false,
    logLevel: 'silent',
  }).catch((error) => {
    throw new Refusal(`${error.message}\nThe scripts of the staff application do not build.`);
  });
  mkdirSync(STYLES, { recursive: true });
  for (const { path, contents } of outputFiles) {
    writeFileSync(`${path}.new`, contents);
    renameSync(`${path}.new`, path);
  }
}
