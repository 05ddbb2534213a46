import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../api/api-shapes.ts';
import { keepSignedUrls } from './signed-urls.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();
const withFile = (url: string, url_expires_at: string) => {
  const file = { id: 1, filename: 'a.pdf', content_type: 'application/pdf', size: 1, url, url_expires_at };
  return [{ files: [file] }] as unknown as Message[];
};

test('[Limits 3] an address is shown until shortly before its hour is over', () => {
  keepSignedUrls(withFile('first', at(60)), NOW);
  assert.equal(keepSignedUrls(withFile('second', at(61)), NOW + 60_000)[0]?.files[0]?.url, 'first');
  assert.equal(keepSignedUrls(withFile('third', at(116)), NOW + 56 * 60_000)[0]?.files[0]?.url, 'third');
});
