import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAffordable, type PictureShape } from './picture-cost.ts';

const MIB = 1024 * 1024;
/** A picture that is decoded line by line. */
const plain: PictureShape = {
  format: 'png',
  width: 1,
  height: 1,
  channels: 3,
  sampleBytes: 1,
  isProgressive: false,
  hasFewColors: false,
  passes: 1,
};

/** The most rows of a thousand pixels that this picture may have. */
function mostRows(shape: Partial<PictureShape>): number {
  let [fits, not] = [0, 1_000_000];
  while (not - fits > 1) {
    const height = (fits + not) >> 1;
    if (isAffordable({ ...plain, width: 1000, ...shape, height })) fits = height;
    else not = height;
  }
  return fits;
}

test('[PICTURE-2] a picture may need up to 72 MiB when it is decoded as a whole, by its format, channels, and samples', () => {
  const rows: [what: string, shape: Partial<PictureShape>, bytesPerPixel: number][] = [
    ['a WebP', { format: 'webp' }, 4],
    ['an interlaced PNG', { isProgressive: true }, 3],
    ['an interlaced PNG with transparency', { isProgressive: true, channels: 4 }, 4],
    ['an interlaced PNG of 16 bits', { isProgressive: true, sampleBytes: 2 }, 6],
    ['an interlaced PNG in gray', { isProgressive: true, channels: 1 }, 1],
    ['a progressive JPEG', { format: 'jpeg', isProgressive: true }, 6],
    ['a progressive JPEG in CMYK', { format: 'jpeg', isProgressive: true, channels: 4 }, 8],
    ['a progressive JPEG with a quarter of the colors', { format: 'jpeg', isProgressive: true, hasFewColors: true }, 3],
  ];
  for (const [what, shape, bytes] of rows)
    assert.equal(mostRows(shape), Math.min(64_000, Math.floor((72 * MIB) / bytes / 1000)), what);
});

test('[PICTURE-2] no picture may have more than 64 million pixels, or 2,000 million samples in all passes', () => {
  for (const shape of [{}, { sampleBytes: 2 }, { format: 'jpeg' }, { format: 'jpeg', hasFewColors: true }])
    assert.equal(mostRows(shape), 64_000, JSON.stringify(shape));
  for (const [channels, passes] of [
    [3, 11],
    [3, 100],
    [4, 8],
    [1, 1000],
  ] as const)
    assert.equal(
      mostRows({ channels, passes }),
      Math.min(64_000, Math.floor(2_000_000 / channels / passes)),
      `${channels} x ${passes}`,
    );
});
