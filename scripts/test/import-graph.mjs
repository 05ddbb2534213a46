import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { listSources, ROOT } from '../checkout/checkout.mjs';

const PLACES = ['lib', 'words', 'modules', 'db', 'apps', 'scripts', 'bench', 'chaos', 'deploy', 'test'];
const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'/g;
const ADDRESS = /new URL\('([^']+)', import\.meta\.url\)/g;
/** Imports of the web frontend leave the extension out. */
const EXTENSIONS = ['', '.ts', '.tsx', '/index.ts'];

/**
 * Reads which of our files names which others, by an import (of types too) or by its address (`new URL('./x', import.meta.url)`).
 * @returns {Map<string, Set<string>>} from a file to the files that it names, all relative to the checkout
 */
export function readImports() {
  const files = listCode();
  /** @type {Map<string, Set<string>>} */
  const named = new Map(files.map((file) => [file, new Set()]));
  for (const { file, target } of find(files, IMPORT, ADDRESS)) if (target !== undefined) named.get(file)?.add(target);
  return named;
}

/**
 * @typedef {object} Import
 * @property {string} file
 * @property {string} from as it is written
 * @property {string | undefined} target our file, relative to the checkout
 */

/** @returns {Import[]} */
export function listImports() {
  return find(listCode(), IMPORT);
}

/** @returns {string[]} all of our code files, relative to the checkout */
export function listCode() {
  return PLACES.flatMap(listSources).filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.endsWith('.d.ts'));
}

/**
 * @param {string[]} files
 * @param {RegExp[]} forms
 * @returns {Import[]}
 */
function find(files, ...forms) {
  const existing = new Set(files);
  return files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return forms.flatMap((form) =>
      [...source.matchAll(form)].map((match) => {
        const from = match.slice(1).find(Boolean) ?? '';
        const path = resolve(file, from);
        const target = EXTENSIONS.map((extension) => path + extension).find((name) => existing.has(name)) ?? path;
        return { file, from, target };
      }),
    );
  });
}

/**
 * @param {string} file
 * @param {string} from
 */
function resolve(file, from) {
  if (from.startsWith('.')) return normalize(join(dirname(file), from)).replaceAll('\\', '/');
  const [, workspace, rest] = /^@case-platform\/(\w+)(?:\/(.+))?$/.exec(from) ?? [];
  if (workspace === undefined) return undefined;
  if (workspace === 'modules') return `modules/${rest}/index.ts`;
  return PLACES.includes(workspace) ? `${workspace}/${rest ?? 'index'}.ts` : `apps/${workspace}/${rest ?? ''}`;
}

/**
 * Finds cycles of files that name each other.
 * @param {Map<string, Set<string>>} imports
 * @returns {string[]} each cycle as `a.ts > b.ts > a.ts`
 */
export function findCycles(imports) {
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {string[]} */
  const way = [];
  /** @type {string[]} */
  const cycles = [];
  const visit = (/** @type {string} */ file) => {
    const at = way.indexOf(file);
    if (at >= 0) cycles.push([...way.slice(at), file].join(' > '));
    if (at >= 0 || done.has(file)) return;
    way.push(file);
    for (const named of imports.get(file) ?? []) visit(named);
    way.pop();
    done.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return cycles;
}
