import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isImagePath } from './image-path.ts';

test('[EDGE-7] every spelling of the image conversion is recognized, and nothing else', () => {
  for (const url of [
    '/_next/image',
    '/_next/image/',
    '/_next/image?url=%2Ficon-192.png&w=64&q=75',
    '/_next/imagex',
    '/_next/%69mage?url=x',
    '/%5fnext%2Fimage',
    '//_next/image',
    '/_next//image',
    '/_next/./image',
    '/x/../_next/image',
    '/x/%2e%2e/_next/image',
    '\\_next\\image',
    '/_next%5Cimage',
    '/_NEXT/Image',
  ])
    assert.ok(isImagePath(url), url);
  for (const url of ['/', '/_next/static/x.js', '/images', '/x/_next/image', '/?/_next/image', '/%', '//evil.test/x'])
    assert.ok(!isImagePath(url), url);
});
