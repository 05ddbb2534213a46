import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);

/** Where the built style sheet is kept: committed, so that nobody builds anything before the first page is shown. */
export const STYLES = new URL('./app.css', import.meta.url);

/** The style sheet of all pages, made from styles.css and the class names in the views. */
export async function buildStyles(): Promise<string> {
  const manifest = require.resolve('@tailwindcss/cli/package.json');
  const { bin } = require('@tailwindcss/cli/package.json') as { bin: { tailwindcss: string } };
  const folder = await mkdtemp(join(tmpdir(), 'styles-'));
  try {
    const output = join(folder, 'app.css');
    const input = fileURLToPath(new URL('./styles.css', import.meta.url));
    const options = [join(dirname(manifest), bin.tailwindcss), '--input', input, '--output', output, '--optimize'];
    await promisify(execFile)(process.execPath, options, { cwd: dirname(input) });
    return await readFile(output, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
