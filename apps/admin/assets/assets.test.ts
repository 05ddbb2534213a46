import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadAssets } from './assets.ts';

test('without built styles the application does not start, and says how to build them', () => {
  const source = new URL('./not-built.css', import.meta.url);
  assert.throws(() => loadAssets({ 'app.css': { contentType: 'text/css', source } }), /scripts\/build.mjs/);
});
