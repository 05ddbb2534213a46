import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { listSources, ROOT } from '../checkout/checkout.mjs';

const PLACES = ['lib', 'words', 'modules', 'db', 'apps', 'scripts', 'bench', 'chaos', 'test'];
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|import\('([^']+)'\)|(?:^|\n)import\s+'([^']+)'|new URL\('([^']+)', import\.meta\.url\)/g;

/**
 * Which file of ours names which: by an import, of a type as well, or by its address (`new URL('./x', import.meta.url)`).
 * @returns {Map<string, Set<string>>} from a file to those that it names, all relative to the checkout
 */
export function readImports() {
  const files = PLACES.flatMap(listSources).filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.endsWith('.d.ts'));
  return new Map(files.map((file) => [file, namedBy(file)]));
}

/** @param {string} file */
function namedBy(file) {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const found = [...source.matchAll(IMPORT)].map((match) => resolve(file, match.slice(1).find(Boolean) ?? ''));
  return new Set(found.filter((target) => target !== null));
}

/**
 * @param {string} file
 * @param {string} from
 */
function resolve(file, from) {
  if (from.startsWith('.')) return normalize(join(dirname(file), from)).replaceAll('\\', '/');
  const [, workspace, rest] = /^@case-platform\/(\w+)(?:\/(.+))?$/.exec(from) ?? [];
  if (workspace === undefined) return null;
  return workspace === 'modules' ? `modules/${rest}/index.ts` : `${workspace}/${rest ?? 'index'}.ts`;
}

/**
 * The files that name any of these, directly or through others.
 * @param {Map<string, Set<string>>} imports
 * @param {string[]} files
 * @param {(file: string) => boolean} isEnd whoever names such a file is not looked for
 * @returns {Set<string>} these files themselves included
 */
export function importersOf(imports, files, isEnd) {
  const found = new Set(files);
  for (const file of found) {
    if (isEnd(file)) continue;
    for (const [importer, named] of imports) if (named.has(file)) found.add(importer);
  }
  return found;
}
