import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ensureStyles } from '../scripts/checkout/builds.mjs';
import { ROOT } from '../scripts/checkout/checkout.mjs';

const OURS = '@case-platform';
const MEMORY = 256 * 1024 * 1024;

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, maxBuffer: MEMORY });

/**
 * The newest commit that has no migration after those of the version before (db/released/schema.sql): its last state.
 * @throws where the history does not reach so far, as in a shallow clone or an archive.
 */
export function findVersionBefore(): string {
  const head = readFileSync(join(ROOT, 'db/released/schema.sql'), 'utf8').split('\n', 1)[0] ?? '';
  const newest = /migrations up to (\d{4}_\w+\.sql)\./.exec(head)?.[1] ?? '';
  const history = git('log', '--diff-filter=A', '--format=commit %H', '--name-only', '--', 'db/migrations').toString();
  let first: string | undefined;
  for (const entry of history.split(/^commit /m)) {
    const [commit = '', ...files] = entry.split('\n');
    if (files.some((file) => file.startsWith('db/migrations/') && file > `db/migrations/${newest}`)) first = commit;
  }
  if (first === undefined) return git('rev-parse', 'HEAD').toString().trim();
  try {
    return git('rev-parse', '--verify', '--quiet', `${first}^`).toString().trim();
  } catch {
    throw new Error(
      'The history here does not reach the version before. Get it (git fetch --unshallow), or name a commit: --from COMMIT.',
    );
  }
}

/**
 * Lays out that version in a folder, with the packages of this checkout: they are the same as long as the lock file is.
 * @throws when it wants others.
 */
export async function layOut(commit: string, folder: string): Promise<void> {
  mkdirSync(folder);
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(folder) !== lock(ROOT))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  else for (const place of ['', ...nestedPlaces()]) linkPackages(join(ROOT, place), join(folder, place), folder);
  await ensureStyles();
  cpSync(join(ROOT, 'apps/admin/.built'), join(folder, 'apps/admin/.built'), { recursive: true });
}

/** Workspaces with packages of their own, in other versions than the rest. */
function nestedPlaces(): string[] {
  return readdirSync(join(ROOT, 'apps'))
    .map((name) => join('apps', name))
    .filter((place) => existsSync(join(ROOT, place, 'node_modules')));
}

/** A link a package: those of the workspaces lead to that version's own. */
function linkPackages(from: string, to: string, root: string): void {
  mkdirSync(join(to, 'node_modules'), { recursive: true });
  for (const name of readdirSync(join(from, 'node_modules'))) {
    if (name !== OURS) symlinkSync(join(from, 'node_modules', name), join(to, 'node_modules', name));
  }
  if (!existsSync(join(from, 'node_modules', OURS))) return;
  mkdirSync(join(to, 'node_modules', OURS));
  for (const name of readdirSync(join(from, 'node_modules', OURS))) {
    const place = [name, join('apps', name)].find((path) => existsSync(join(root, path, 'package.json')));
    if (place !== undefined) symlinkSync(join(root, place), join(to, 'node_modules', OURS, name));
  }
}
