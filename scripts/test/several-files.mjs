import { closeSync, openSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../checkout/checkout.mjs';
import { endShared, runSuite } from './file-suite.mjs';
import { limitFile } from './test-file-limit.mjs';

/**
 * One of several processes that run the files of a queue (test-run.mjs). Each takes the next file that no other has taken, and
 * loads file-suite.mjs in place of `node:test`.
 */
const FACADE = new URL('file-suite.mjs', import.meta.url).href;
const queue = process.env.TEST_QUEUE ?? '';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' && context.parentURL !== FACADE
      ? { url: FACADE, shortCircuit: true, format: 'module' }
      : next(specifier, context),
});

/** @type {string[]} */
const files = JSON.parse(readFileSync(join(queue, 'files.json'), 'utf8'));
for (const [at, file] of files.entries()) {
  if (!take(at)) continue;
  limitFile(file);
  await runSuite(file, () => import(pathToFileURL(resolve(ROOT, file)).href));
}
await endShared();

/** @param {number} at */
function take(at) {
  try {
    closeSync(openSync(join(queue, 'taken', String(at)), 'wx'));
    return true;
  } catch {
    return false;
  }
}
