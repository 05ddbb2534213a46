import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAYER_OPTIONS, ROOT, STRIPPED } from '../scripts/checkout/checkout.mjs';

/**
 * Collects what production runs in a new folder: `node deploy/assemble.mjs FOLDER`, after `npm ci` and `node
 * scripts/build.mjs`. The image and installations with systemd use it.
 */

/** The workspaces of the processes, without the development store. The lock file names the packages that they need. */
const WORKSPACES = ['apps/api', 'apps/web', 'apps/admin', 'apps/worker', 'modules', 'lib', 'words', 'db'];
const OURS = [...WORKSPACES, 'scripts/start/prepare.ts', 'scripts/demo', 'scripts/operate', 'scripts/operate.mjs'];
const THEIR_HELP = ['scripts/checkout', 'package.json'];
const MAINS = ['apps/api/main.ts', 'apps/admin/main.ts', 'apps/worker/main.ts', 'apps/web/main.ts'];
/** Imports modules that processes load only when they need them. Importing them has no effect of its own. */
const LOAD_LATE = `
  import { globSync } from 'node:fs';
  for (const file of globSync('{lib,modules}/**/*.ts')) await import(process.cwd() + '/' + file);
`;
/** The output of `node scripts/build.mjs`. */
const BUILT = ['apps/web/.next', 'apps/admin/.built'];

/** Packages that only the build of the web frontend needs, or a part of another package that is not used here. */
const UNUSED_PACKAGES = /^(@next\/swc-|@napi-rs\/canvas|@fastify\/static$|postcss$|caniuse-lite$|@types\/)/;
/** The files that run, of large packages that mostly do not run here. */
const USED_FILES = /** @type {Record<string, RegExp>} */ ({
  'lucide-static': /^icons\//,
  'pdfjs-dist': /^legacy\/build\/pdf(\.worker)?\.min\.mjs$/,
  geist:
    /^dist\/(font\.js|sans\.js|fonts\/geist-(sans|mono)\/Geist(Mono-Variable\.woff2|-Variable\.woff2|-(Regular|SemiBold)\.ttf))$/,
  'htmx.org': /^dist\/htmx\.min\.js$/,
  '@fastify/swagger-ui': /^static\/swagger-ui(-bundle\.js|\.css)$/,
});
const UNUSED_FILES = /** @type {Record<string, RegExp>} */ ({
  next: new RegExp(
    [
      '^dist/(esm|bundle-analyzer)/',
      'capsize-font-metrics\\.json$',
      '^dist/compiled/next-server/(?!.*turbo.*\\.prod\\.js|server\\.runtime\\.prod)',
      '^dist/compiled/(babel-packages|next-devtools|terser|react-refresh|cssnano|sass|postcss|@next/font)',
      '^dist/compiled/(@vercel/(og|nft)|[^/]+-experimental)/',
    ].join('|'),
  ),
  pdfkit: /^js\/pdfkit\.standalone\.js$/,
});
/** Files of any package that do not run: documentation, types, source maps, tests, and code for development. */
const NOT_RUN =
  /\.(map|md|markdown|[cm]?ts|tsx|flow|tsbuildinfo|development\.js)$|^(tests?|docs?|examples?|benchmarks?|\.\w+)\//i;
const LICENSE = /(^|\/)(licen[cs]e|notice)/i;

/**
 * @typedef {object} Part
 * @property {string} path relative to the checkout, and to the new folder
 * @property {number} bytes
 */

/**
 * Lists our own files, the build output, and the packages that the lock file names for production.
 * @returns {Part[]}
 */
function listParts() {
  const own = [...OURS, ...THEIR_HELP].flatMap((path) => listFiles(path, (file) => !isForDevelopment(file)));
  const built = BUILT.flatMap((path) => listFiles(path, (file) => !/\.next\/(cache|diagnostics|types|trace)|\.map$/.test(file)));
  const packages = listPackages().flatMap((path) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return listFiles(path, (file) => isUsed(name, relative(path, file)));
  });
  return [...own, ...built, ...packages];
}

/** @param {string} file of ours */
function isForDevelopment(file) {
  return /\/\.(next|built)\/|(\.test\.(ts|mjs)|\/tsconfig\.json)$|^apps\/web\/.*\.tsx$/.test(file);
}

/**
 * @param {string} name of a package
 * @param {string} file in it
 */
function isUsed(name, file) {
  if (file === 'package.json' || LICENSE.test(file)) return true;
  if (name.startsWith('node-')) return file === 'bin/node';
  if (USED_FILES[name] !== undefined) return USED_FILES[name].test(file);
  return !NOT_RUN.test(file) && !UNUSED_FILES[name]?.test(file);
}

/** @typedef {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>, link?: boolean }} Locked */

/**
 * Lists the folders of the packages that production needs, the pinned Node.js first. It follows the lock file, so nothing has
 * to be installed again without development packages.
 * @returns {string[]} relative to the checkout
 */
function listPackages() {
  /** @type {Record<string, Locked>} */
  const locked = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const node = Object.keys(locked).filter((path) => /^node_modules\/node-/.test(path) && existsSync(join(ROOT, path)));
  const found = new Set(node);
  const waiting = [...WORKSPACES];
  for (const from of waiting) {
    const { dependencies, optionalDependencies } = locked[from] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = findPackage(locked, from, name);
      if (path === undefined || found.has(path) || locked[path]?.link || UNUSED_PACKAGES.test(name)) continue;
      found.add(path);
      waiting.push(path);
    }
  }
  return [...found].filter((path) => existsSync(join(ROOT, path)));
}

/**
 * Finds a package like Node.js, in the nearest node_modules first.
 * @param {Record<string, Locked>} locked
 * @param {string} from
 * @param {string} name
 */
function findPackage(locked, from, name) {
  for (let folder = from; ; folder = folder === '.' ? '' : dirname(folder)) {
    const path = join(folder, 'node_modules', name);
    if (!folder.endsWith('node_modules') && path in locked) return path;
    if (folder === '') return undefined;
  }
}

/**
 * @param {string} path relative to the checkout: a file or a folder
 * @param {(file: string) => boolean} isWanted
 * @returns {Part[]}
 */
function listFiles(path, isWanted) {
  const { size, isDirectory } = describe(path);
  if (!isDirectory) return isWanted(path) ? [{ path, bytes: size }] : [];
  return readdirSync(join(ROOT, path))
    .filter((name) => name !== 'node_modules')
    .flatMap((name) => listFiles(`${path}/${name}`, isWanted));
}

/** @param {string} path */
function describe(path) {
  const found = lstatSync(join(ROOT, path));
  return { size: found.size, isDirectory: found.isDirectory() };
}

/**
 * Fills a folder that does not exist yet. Files of the checkout are hard-linked if possible, which takes no time and no space.
 * @param {string} folder
 * @returns {number} bytes
 */
export function assemble(folder) {
  const parts = listParts();
  for (const made of new Set(parts.map(({ path }) => dirname(path)))) mkdirSync(join(folder, made), { recursive: true });
  for (const { path } of parts) put(join(ROOT, path), join(folder, path));
  mkdirSync(join(folder, 'node_modules', '@case-platform'));
  for (const path of WORKSPACES.filter((path) => !path.startsWith('apps/')))
    symlinkSync(`../../${path}`, join(folder, 'node_modules', '@case-platform', path));
  const node = parts.find(({ path }) => path.endsWith('/bin/node'))?.path ?? '';
  mkdirSync(join(folder, 'bin'));
  symlinkSync(`../${node}`, join(folder, 'bin', 'node'));
  return [...parts, ...strip(folder)].reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Strips the types of our sources, so that a process starts in two thirds of the time and needs 30 MiB less, because it does not
 * load the code that strips them (lib/process/strip-types.mjs). The files are read-only, so that no process can change the code
 * of another.
 * @param {string} folder
 * @returns {Part[]}
 */
function strip(folder) {
  const stripped = join(folder, STRIPPED);
  const run = (/** @type {string[]} */ ...args) =>
    spawnSync(join(folder, 'bin', 'node'), [...LAYER_OPTIONS, ...args], { cwd: folder, env: { NODE_ENV: 'production' } });
  // Without settings, a process loads everything it needs at start, and then exits with an error.
  for (const main of MAINS) run(main);
  run('--input-type=module', '--eval', LOAD_LATE);
  return readdirSync(stripped).map((name) => {
    const path = join(stripped, name);
    chmodSync(path, 0o444);
    return { path, bytes: lstatSync(path).size };
  });
}

/**
 * @param {string} from
 * @param {string} to
 */
function put(from, to) {
  try {
    linkSync(from, to);
  } catch {
    // The folder is on another file system.
    copyFileSync(from, to);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined || existsSync(folder)) {
    process.stderr.write('Use: node deploy/assemble.mjs FOLDER, which is made.\n');
    process.exitCode = 1;
  } else process.stdout.write(`${Math.ceil(assemble(resolve(folder)) / 1024 ** 2)} MB in ${folder}\n`);
}
