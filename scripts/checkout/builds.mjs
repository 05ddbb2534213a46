import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aloneOnCheckout, fingerprint, LAYER_OPTIONS, listSources, ROOT, STRIPPED } from './checkout.mjs';
import { pinnedNode } from './install.mjs';
import { runCommand } from './run-command.mjs';
import { Refusal } from './terminal.mjs';

/** Builds are never committed. Each is made when it is needed and kept until its sources change. */
const WEB = join(ROOT, 'apps', 'web', '.next');
const STYLES = join(ROOT, 'apps', 'admin', '.built');
/** The name of a stamp in the folder of a build. The next build of the web frontend empties the folder with its stamp first. */
const STAMP = 'built-from';
const API_TYPES = join(ROOT, 'apps', 'web', '.built');

const LAYERS = ['api', 'admin', 'worker', 'storage', 'web'];

const THEME = ['lib/theme.css', 'lib/theme'];

const isCode = (/** @type {string} */ file) => file.endsWith('.ts') && !file.endsWith('.test.ts');

/** Files that Next.js itself writes among the sources. */
const GENERATED = new Set(['apps/web/next-env.d.ts']);

/**
 * Builds the web frontend, unless the existing build is from the current sources.
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
 * Writes the types of the JSON API for the web frontend, unless the existing ones are from the current sources.
 * @throws {Refusal} with the generator's output
 */
export function ensureApiTypes() {
  const places = ['apps/api', 'modules', 'lib', 'words', 'scripts/generate'];
  const sources = () => fingerprint([...places.flatMap(listSources).filter(isCode), 'package-lock.json']);
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
  return ensureBuild({ name: 'build the styles', folder: STYLES, sources, build: buildStyles });
}

/** Strips the types of the layers' sources, unless those of the current sources are stripped (lib/process/strip-types.mjs). */
export async function ensureStripped() {
  const places = [...LAYERS.map((name) => `apps/${name}`), 'modules', 'lib', 'words', 'db'];
  const sources = () => fingerprint([...places.flatMap(listSources).filter(isCode), 'package-lock.json'], pinnedNode());
  try {
    await ensureBuild({ name: 'strip types', folder: join(ROOT, STRIPPED), sources, build: stripLayers });
  } catch {
    // The layers also start when the folder cannot be written.
  }
}

/**
 * @param {object} wanted
 * @param {string} wanted.name of the work, such as `build the styles`
 * @param {string} wanted.folder of the build
 * @param {() => string} wanted.sources returns a fingerprint of its sources
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
  const file = join(API_TYPES, 'api-types.d.ts');
  mkdirSync(API_TYPES, { recursive: true });
  const args = [join('scripts', 'generate', 'write-api-types.ts'), `${file}.new`];
  const { code, output } = await runCommand(pinnedNode(), args, { cwd: ROOT });
  if (code !== 0) throw new Refusal(`${output.trim()}\nThe types of the API cannot be written (exit code ${code}).`);
  // The rename makes sure that a compiler that runs meanwhile reads the complete old or new types.
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

/** Runs each layer in production mode without settings: it loads all of its code and then refuses to start. */
async function stripLayers() {
  const env = { PATH: process.env.PATH, NODE_ENV: 'production' };
  // Files of earlier sources stay, because other processes may be writing theirs.
  mkdirSync(join(ROOT, STRIPPED), { recursive: true });
  for (const name of LAYERS) {
    await runCommand(pinnedNode(), [...LAYER_OPTIONS, join('apps', name, 'main.ts')], { cwd: ROOT, env });
  }
}

/** In a process of its own, because `npm start` would keep the 80 MiB of the compilers for as long as it runs. */
async function buildStyles() {
  const args = [join('scripts', 'checkout', 'build-styles.mjs'), STYLES];
  const { code, output } = await runCommand(pinnedNode(), args, { cwd: ROOT });
  if (code !== 0) throw new Refusal(`${output.trim()}\nThe styles of the staff application do not build (exit code ${code}).`);
}
