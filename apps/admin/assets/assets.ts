import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';

/** A file that browsers keep forever: its address changes with its content. */
export interface Asset {
  contentType: string;
  body: Buffer;
  /** Compresses it when it is first asked for; undefined for a file that is compressed already. */
  brotli: (() => Promise<Buffer>) | undefined;
}

export type AssetName = keyof typeof SOURCES;

const compress = promisify(brotliCompress);
const require = createRequire(import.meta.url);
const own = (path: string) => new URL(`../${path}`, import.meta.url);
const script = (path: string) => ({ contentType: 'text/javascript; charset=utf-8', source: own(path) });
/** What is written in words/ alone, made a module for browsers by the build. */
const words = (name: string) => script(`.built/words/${name}.js`);
const packaged = (path: string) => ({ contentType: 'text/javascript; charset=utf-8', source: path });
const geist = (path: string) => new URL(`./fonts/${path}`, `file://${require.resolve('geist/font')}`);

/**
 * Everything that pages load, from this host alone. A fixed list held in memory: no path of a request reaches the disk.
 * What others name comes first, because they are given its address: the fonts, and the module that modules import.
 */
const SOURCES = {
  'geist.woff2': { contentType: 'font/woff2', source: geist('geist-sans/Geist-Variable.woff2') },
  'geist-mono.woff2': { contentType: 'font/woff2', source: geist('geist-mono/GeistMono-Variable.woff2') },
  'app.css': { contentType: 'text/css; charset=utf-8', source: own('.built/app.css') },
  'formats.js': words('formats'),
  'limits.js': words('limits'),
  'counts.js': words('counts'),
  'money.js': words('money'),
  'benefits.js': words('benefits'),
  'files.js': words('files'),
  'app.js': script('assets/app.js'),
  'page-parts.js': script('assets/page-parts.js'),
  'live.js': script('assets/live.js'),
  'keys.js': script('assets/keys.js'),
  'draft-key.js': script('form/draft-key.js'),
  'compose.js': script('inbox/compose.js'),
  'pictures.js': script('inbox/pictures.js'),
  'uploads.js': script('form/uploads.js'),
  'chain.js': script('inbox/chain.js'),
  'inbox.js': script('inbox/inbox.js'),
  'request.js': script('disbursements/request.js'),
  'request-form.js': script('disbursements/request-form.js'),
  'pdf.js': packaged(require.resolve('pdfjs-dist/legacy/build/pdf.min.mjs')),
  'pdf-worker.js': packaged(require.resolve('pdfjs-dist/legacy/build/pdf.worker.min.mjs')),
  'htmx.js': packaged(require.resolve('htmx.org/dist/htmx.min.js')),
  'favicon.svg': { contentType: 'image/svg+xml', source: own('assets/favicon.svg') },
} as const;

/** Scripts of other people's, served as they are. */
const OF_OTHERS = new Set(['htmx.js', 'pdf.js', 'pdf-worker.js']);

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
    const body = isOwnText(name) ? Buffer.from(placeAddresses(content.toString())) : content;
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

function isOwnText(name: string): boolean {
  return name === 'app.css' || (name.endsWith('.js') && !OF_OTHERS.has(name));
}

/** Words as our scripts import them, and as they import each other. */
const WORDS_IMPORT = / from '(?:@case-platform\/words|\.)\/([\w-]+)(?:\.ts)?';/g;

/** Replaces the plain names of fonts in the style sheet, and of imports in modules, by addresses that browsers keep forever. */
function placeAddresses(text: string): string {
  return text
    .replaceAll(/url\(["']?(geist[\w-]*\.woff2)["']?\)/g, (_, name: AssetName) => `url("${assetUrl(name)}")`)
    .replaceAll(/ from '\.\.?\/(?:[\w-]+\/)?([\w-]+\.js)';/g, (_, name: AssetName) => ` from '${assetUrl(name)}';`)
    .replaceAll(WORDS_IMPORT, (_, name: string) => ` from '${assetUrl(`${name}.js` as AssetName)}';`);
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
