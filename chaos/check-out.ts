import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ensureStyles } from '../scripts/checkout/builds.mjs';
import { ROOT } from '../scripts/checkout/checkout.mjs';

const OURS = '@case-platform';
const MEMORY = 256 * 1024 * 1024;

/**
 * Writes a commit's files to a folder. Links the packages of this checkout if the lock file is the same, and otherwise installs
 * the commit's own.
 */
export async function checkOut(commit: string, folder: string): Promise<void> {
  mkdirSync(folder);
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: MEMORY });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(folder) !== lock(ROOT)) execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  else for (const place of ['', ...nestedPlaces()]) linkPackages(join(ROOT, place), join(folder, place), folder);
  await ensureStyles();
  cpSync(join(ROOT, 'apps/admin/.built'), join(folder, 'apps/admin/.built'), { recursive: true });
}

/** Lists the workspaces that have other versions of some packages than the rest. */
function nestedPlaces(): string[] {
  return readdirSync(join(ROOT, 'apps'))
    .map((name) => join('apps', name))
    .filter((place) => existsSync(join(ROOT, place, 'node_modules')));
}

/** Links each package. The links of workspaces lead to the commit's own folders. */
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
