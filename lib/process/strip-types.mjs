import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Loaded before a process's own code (`--import`). Loads TypeScript without its types from a folder of the checkout that this
 * module fills. Node.js's compile cache would do the same, but a process keeps all of it in memory for as long as it runs: 14 MiB
 * of the API. Without either, a process that strips the types of even a single file keeps the code for that, 24 MiB.
 */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/stripped/', import.meta.url));

registerHooks({
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    return { format: 'module', source: readStripped(readFileSync(fileURLToPath(url), 'utf8')), shortCircuit: true };
  },
});

/** @param {string} typed a source file */
function readStripped(typed) {
  const mark = createHash('sha256').update(process.version).update(typed).digest('base64url');
  const path = `${FOLDER}${mark}.mjs`;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    const stripped = strip(typed);
    write(path, stripped);
    return stripped;
  }
}

/**
 * Strips types as Node.js does when it loads a file itself, without the warning that the function is experimental.
 * @param {string} typed
 */
function strip(typed) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(typed);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Writes a file at once, because other processes may start at the same time.
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  const unfinished = `${path}.${process.pid}`;
  try {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(unfinished, text);
    renameSync(unfinished, path);
  } catch {
    // In an installation the folder is complete and cannot be written.
  }
}
