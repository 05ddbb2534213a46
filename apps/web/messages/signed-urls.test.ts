import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../api/api-shapes.ts';
import { reuseSignedUrls } from './signed-urls.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();
const withFile = (url: string, url_expires_at: string) => {
  const file = { id: 1, filename: 'a.pdf', content_type: 'application/pdf', size: 1, url, url_expires_at };
  return [{ files: [file] }] as unknown as Message[];
};

test('[FILE-4] a URL is shown until shortly before its hour is over', () => {
  reuseSignedUrls(withFile('first', at(60)), NOW);
  assert.equal(reuseSignedUrls(withFile('second', at(61)), NOW + 60_000)[0]?.files[0]?.url, 'first');
  assert.equal(reuseSignedUrls(withFile('third', at(116)), NOW + 56 * 60_000)[0]?.files[0]?.url, 'third');
});

test('[FILE-4] a URL is replaced from exactly five minutes before its end, even if the clock is wrong', () => {
  const shown = (now: number) => {
    const first = withFile('first', at(60));
    reuseSignedUrls(first, Number.POSITIVE_INFINITY);
    return reuseSignedUrls(withFile('second', at(120)), now)[0]?.files[0]?.url;
  };
  const limit = NOW + 55 * 60_000;
  const expected: [now: number, url: string][] = [
    [limit - 1000, 'first'],
    [limit - 1, 'first'],
    [limit, 'second'],
    [limit + 1, 'second'],
    [limit + 1000, 'second'],
    [limit - 24 * 60 * 60_000, 'first'],
    [limit + 24 * 60 * 60_000, 'second'],
  ];
  for (const [now, url] of expected) assert.equal(shown(now), url, new Date(now).toISOString());
});
