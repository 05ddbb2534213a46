import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { SAMPLES } from '../sample-files.ts';
import { spoolFile } from '../spool-file.ts';
import { UnusablePictureError } from './clean-pictures.ts';
import { renderPicture } from './render-picture.ts';

async function rendered(bytes: Buffer, widths: number[]) {
  await using file = await spoolFile(Readable.from([bytes]), { maxBytes: 32 * 1024 * 1024 });
  return await renderPicture(file, widths, { owner: '1' });
}

test('a picture becomes small squares, upright, without metadata', async () => {
  const red = { r: 255, g: 0, b: 0 };
  const wide = sharp({ create: { width: 900, height: 300, channels: 3, background: red } });
  const original = await wide
    .withExif({ IFD0: { Make: 'somebody' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const renditions = await rendered(original, [96, 256]);
  for (const [index, width] of [96, 256].entries()) {
    const bytes = renditions[index]?.bytes as Buffer;
    const { format, exif, ...shape } = await sharp(bytes).metadata();
    assert.deepEqual([format, shape.width, shape.height, exif], ['webp', width, width, undefined]);
    assert.ok(!bytes.includes('somebody'));
  }
});

describe('a picture is refused by what it would cost, before it is decoded', () => {
  const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
    sharp({ create: { width, height, channels, background: 'white' } });
  const pictures: [what: string, make: () => Sharp, outcome: 'made' | 'too_large'][] = [
    ['a phone’s photo of 48 megapixels', () => plain(8000, 6000).jpeg(), 'made'],
    ['that photo on its side', () => plain(8000, 6000).withMetadata({ orientation: 6 }).jpeg(), 'made'],
    ['a progressive JPEG of 24 megapixels', () => plain(6000, 4000).jpeg({ progressive: true }), 'made'],
    ['an interlaced PNG of 9 megapixels', () => plain(3000, 2999, 4).png({ progressive: true }), 'made'],
    ['a progressive JPEG of 64 megapixels', () => plain(8000, 8000).jpeg({ progressive: true }), 'too_large'],
    ['an interlaced PNG of 64 megapixels', () => plain(8000, 8000).png({ progressive: true }), 'too_large'],
    ['a WebP of 20 megapixels', () => plain(5000, 4000).webp({ lossless: true, effort: 0 }), 'too_large'],
    ['a PNG of 144 megapixels', () => plain(12_000, 12_000).png(), 'too_large'],
  ];
  for (const [what, make, outcome] of pictures) {
    test(`[decisions 6] ${what} is ${outcome === 'made' ? 'processed' : 'too large'}`, async () => {
      const bytes = await make().toBuffer();
      const result = rendered(bytes, [96]);
      if (outcome === 'made') assert.equal((await result).length, 1);
      else await assert.rejects(result, new UnusablePictureError('too_large'));
    });
  }
});

test('a picture that cannot be decoded is damaged, and nothing of ours ends with it', async () => {
  const cut = (await sharp(SAMPLES.png).resize(400, 400).png().toBuffer()).subarray(0, 200);
  for (const [what, bytes] of [
    ['cut off', cut],
    ['no picture', SAMPLES.jpg],
    ['a drawing that names a file', Buffer.from('<svg><image href="file:///etc/passwd"/></svg><!--')],
    ['nothing', Buffer.alloc(0)],
  ] as const) {
    await assert.rejects(rendered(bytes, [96]), new UnusablePictureError('damaged'), what);
  }
});
