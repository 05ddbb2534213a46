import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';

/** A file that browsers keep forever: its address changes with its content. */
export interface Asset {
  contentType: string;
  body: Buffer;
  /** Compresses the file at its first request; undefined for a file that is compressed already. */
  brotli: (() => Promise<Buffer>) | undefined;
}

export type AssetName = keyof typeof SOURCES;

const compress = promisify(brotliCompress);
const require = createRequire(import.meta.url);
const own = (path: string) => new URL(`../${path}`, import.meta.url);
/** A script of `apps/admin/browser`, bundled by the build. */
const script = (name: string) => ({
  contentType: 'text/javascript; charset=utf-8',
  source: own(`.built/${name}.js`),
});
const packaged = (path: string) => ({ contentType: 'text/javascript; charset=utf-8', source: path });
const geist = (path: string) => new URL(`./fonts/${path}`, pathToFileURL(require.resolve('geist/font')));

/**
 * Everything that pages load, all of it from this host. A fixed list in memory: no path of a request reaches the disk.
 * The fonts come first, because the style sheet contains their addresses.
 */
const SOURCES = {
  'geist.woff2': { contentType: 'font/woff2', source: geist('geist-sans/Geist-Variable.woff2') },
  'geist-mono.woff2': { contentType: 'font/woff2', source: geist('geist-mono/GeistMono-Variable.woff2') },
  'app.css': { contentType: 'text/css; charset=utf-8', source: own('.built/app.css') },
  'app.js': script('app'),
  'live.js': script('live'),
  'keys.js': script('keys'),
  'compose.js': script('compose'),
  'pictures.js': script('pictures'),
  'uploads.js': script('uploads'),
  'chain.js': script('chain'),
  'inbox.js': script('inbox'),
  'request.js': script('request'),
  'new-batch.js': script('new-batch'),
  'request-form.js': script('request-form'),
  'pdf.js': packaged(require.resolve('pdfjs-dist/legacy/build/pdf.min.mjs')),
  'pdf-worker.js': packaged(require.resolve('pdfjs-dist/legacy/build/pdf.worker.min.mjs')),
  'htmx.js': packaged(require.resolve('htmx.org/dist/htmx.min.js')),
  'favicon.ico': { contentType: 'image/x-icon', source: own('assets/favicon.ico') },
  'apple-touch-icon.png': { contentType: 'image/png', source: own('assets/apple-touch-icon.png') },
  'favicon.svg': { contentType: 'image/svg+xml', source: own('assets/favicon.svg') },
} as const;

const urls = new Map<string, string>();
const assets = new Map<string, Asset>();

/**
 * Reads all of them, before the first page is shown.
 * @throws when the style sheet has not been built
 */
export function loadAssets(sources: Record<string, { contentType: string; source: URL | string }> = SOURCES): void {
  for (const [name, { contentType, source }] of Object.entries(sources)) {
    if (name === 'app.css' && !existsSync(source))
      throw new Error('The styles of the staff application have not been built: `node scripts/build.mjs` builds them.');
    const content = readFileSync(source);
    const body = name === 'app.css' ? Buffer.from(placeFontAddresses(content.toString())) : content;
    const url = `/public/${createHash('sha256').update(body).digest('hex').slice(0, 16)}/${name}`;
    urls.set(name, url);
    let compressed: Promise<Buffer> | undefined;
    const brotli = () => {
      compressed ??= compress(body);
      return compressed;
    };
    assets.set(url, { contentType, body, brotli: contentType === 'font/woff2' ? undefined : brotli });
  }
}

/** Replaces the plain names of fonts in the style sheet by addresses that browsers keep forever. */
function placeFontAddresses(text: string): string {
  return text.replaceAll(/url\(["']?(geist[\w-]*\.woff2)["']?\)/g, (_, name: AssetName) => `url("${assetUrl(name)}")`);
}

/** The address of a file, with its content's hash in it. */
export function assetUrl(name: AssetName): string {
  const url = urls.get(name);
  if (url === undefined) throw new Error(`no asset ${name}`);
  return url;
}

/** The file at an address, if there is one. */
export function findAsset(url: string): Asset | undefined {
  return assets.get(url);
}
