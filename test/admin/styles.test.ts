import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brand, ICON_PATHS, setBrand } from '@case-platform/lib/brand';
import { startAdmin } from './start-admin.ts';

const CLASS = /\.[a-z][\w-]*/g;

test('[EDGE-4] the pages’ style sheet includes every css file and the utility classes that the markup uses', async () => {
  const admin = await startAdmin();
  const visitor = admin.visitor();
  const { text } = await visitor.get('/login');
  const css = (await visitor.get(/href="([^"]+\.css)"/.exec(text)?.[1] ?? '')).text;
  const served = new Set(css.match(CLASS));
  const files = globSync(['lib/theme/*.css', 'apps/admin/**/*.css'], { exclude: ['**/node_modules', '**/.built'] });
  assert.ok(files.length >= 2);
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"/g, '');
    for (const name of text.match(CLASS) ?? []) assert.ok(served.has(name), `${name} of ${file}`);
  }
  for (const name of ['.btn-primary', '.sr-only']) assert.ok(served.has(name), name);
});

test('[EDGE-4, BRAND-1] pages load everything from this host, and browsers may cache it', async () => {
  const admin = await startAdmin();
  const visitor = admin.visitor();
  const { text } = await visitor.get('/login');
  const urls = [...text.matchAll(/(?:href|src)="([^"]+\.(?:css|js|svg|woff2))"/g)].map(([, url = '']) => url);
  assert.ok(urls.length >= 5);
  const css = await visitor.get(urls.find((url) => url.endsWith('.css')) ?? '');
  urls.push(...[...css.text.matchAll(/url\("([^"]+woff2)"\)/g)].map(([, url = '']) => url));
  for (const url of urls) {
    assert.match(url, /^\/public\/[0-9a-f]{16}\//);
    const file = await visitor.get(url);
    assert.equal(file.status, 200, url);
    assert.match(file.headers.get('cache-control') ?? '', /immutable/);
  }
  assert.equal(urls.filter((url) => url.endsWith('.woff2')).length >= 2, true);
  for (const path of ICON_PATHS) {
    setBrand(undefined);
    const icon = await visitor.get(path);
    assert.deepEqual([icon.status, icon.headers.get('content-type')?.startsWith('image/')], [200, true], path);
    setBrand({ ...brand(), logo: { type: 'image/jpeg', bytes: Buffer.from('the logo') } });
    assert.equal((await visitor.get(path)).text, 'the logo', path);
  }
  setBrand(undefined);
});

test('[EDGE-4] styles and scripts are sent compressed to clients that accept it, the same for two at once', async () => {
  const admin = await startAdmin();
  const { text } = await admin.visitor().get('/login');
  const urls = [...text.matchAll(/(?:href|src)="([^"]+\.(?:css|js))"/g)].map(([, url = '']) => admin.baseUrl + url);
  const read = async (url: string, accepts: string) => {
    const answer = await fetch(url, { headers: { 'accept-encoding': accepts } });
    // A cache in front must give each client the encoding that it accepts.
    assert.equal(answer.headers.get('vary'), 'accept-encoding', `${url} for ${accepts}`);
    return { encoding: answer.headers.get('content-encoding'), text: await answer.text() };
  };
  assert.ok(urls.length >= 2);
  for (const url of urls) {
    const [first, second, plain] = await Promise.all([read(url, 'br'), read(url, 'gzip, br'), read(url, 'identity')]);
    assert.deepEqual(
      [first, second],
      [
        { ...plain, encoding: 'br' },
        { ...plain, encoding: 'br' },
      ],
    );
    assert.deepEqual([plain.encoding, plain.text.length > 100], [null, true]);
  }
});
