import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { buildStyles, STYLES } from '../../apps/admin/assets/build-styles.ts';
import { startAdmin } from './start-admin.ts';

test('[decisions 9] the committed style sheet is what styles.css, the theme and the views make', async () => {
  assert.equal(await readFile(STYLES, 'utf8'), await buildStyles());
});

test('[Server-rendered application] pages load everything from this host, and browsers may keep it', async () => {
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
});

test('[Server-rendered application] styles and scripts go compressed to whoever takes that, the same for two at once', async () => {
  const admin = await startAdmin();
  const { text } = await admin.visitor().get('/login');
  const urls = [...text.matchAll(/(?:href|src)="([^"]+\.(?:css|js))"/g)].map(([, url = '']) => admin.baseUrl + url);
  const read = async (url: string, accepts: string) => {
    const answer = await fetch(url, { headers: { 'accept-encoding': accepts } });
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
