import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

interface ReferenceFile {
  contentType: string;
  body: Buffer;
  brotli: Buffer;
}

interface ReferenceFiles {
  /** The address of each file, with a hash of all contents, so that browsers keep it forever. */
  addressOf(name: FileName): string;
  find(hash: string, name: string): ReferenceFile | undefined;
}

type FileName = keyof typeof SOURCES;

const compress = promisify(brotliCompress);
/** A level that takes a tenth of a second for two megabytes; the best level would take seconds. */
const LEVEL = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
const require = createRequire(import.meta.url);
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const own = (name: string) => new URL(name, import.meta.url);
const geist = (path: string) => new URL(`./fonts/${path}`, pathToFileURL(require.resolve('geist/font')));

/** Everything that the pages about the API load, all of it from this host. */
const SOURCES = {
  'swagger-ui.js': { contentType: JAVASCRIPT, source: require.resolve('@fastify/swagger-ui/static/swagger-ui-bundle.js') },
  'swagger-ui.css': { contentType: CSS, source: require.resolve('@fastify/swagger-ui/static/swagger-ui.css') },
  'reference.js': { contentType: JAVASCRIPT, source: own('./reference.mjs') },
  'page.css': { contentType: CSS, source: own('./page.css') },
  'reference.css': { contentType: CSS, source: own('./reference.css') },
  'operations.css': { contentType: CSS, source: own('./operations.css') },
  'geist.woff2': { contentType: 'font/woff2', source: geist('geist-sans/Geist-Variable.woff2') },
  'geist-mono.woff2': { contentType: 'font/woff2', source: geist('geist-mono/GeistMono-Variable.woff2') },
  'icon.svg': { contentType: 'image/svg+xml', source: own('./icon.svg') },
} as const;

let files: Promise<ReferenceFiles> | undefined;

/** Reads the files at the first request and keeps them, so that a process without readers needs no memory (PROCESS-4). */
export function loadReferenceFiles(): Promise<ReferenceFiles> {
  files ??= readFiles();
  return files;
}

async function readFiles(): Promise<ReferenceFiles> {
  const entries = await Promise.all(
    Object.entries(SOURCES).map(async ([name, { contentType, source }]) => {
      const body = await readFile(source);
      return [name, { contentType, body, brotli: await compress(body, LEVEL) }] as const;
    }),
  );
  const read = new Map<string, ReferenceFile>(entries);
  const contents = entries.reduce((sum, [, { body }]) => sum.update(body), createHash('sha256'));
  const current = contents.digest('hex').slice(0, 16);
  return {
    addressOf: (name) => `/docs/${current}/${name}`,
    find: (hash, name) => (hash === current ? read.get(name) : undefined),
  };
}
