import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './checkout.mjs';

/** What the staff application's scripts say, and what that needs, is written once: in words/. */
const WORDS = ['formats', 'limits', 'counts', 'money', 'benefits', 'files'];

/** Writes these words into a folder as modules for browsers. Run by the Node.js of the project, which knows TypeScript. */
const folder = process.argv[2] ?? '';
mkdirSync(folder, { recursive: true });
for (const name of WORDS) {
  const made = join(folder, `${name}.js.new`);
  writeFileSync(made, stripTypeScriptTypes(readFileSync(join(ROOT, 'words', `${name}.ts`), 'utf8')));
  renameSync(made, join(folder, `${name}.js`));
}
