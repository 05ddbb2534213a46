import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { SAMPLES } from '../../../test/support/file-samples.ts';
import { spoolFile } from '../spool-file.ts';
import { UnusablePictureError } from './clean-pictures.ts';
import { renderPicture } from './render-picture.ts';

async function rendered(bytes: Buffer, widths: number[]) {
  await using file = await spoolFile(Readable.from([bytes]), { maxBytes: 32 * 1024 * 1024 });
  return await renderPicture(file, widths, { owner: '1' });
}

test('a picture is rendered as small upright squares without metadata', async () => {
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

describe('a picture that would cost too much is rejected before it is decoded', () => {
  const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
    sharp({ create: { width, height, channels, background: 'white' } });
  const affordable: [what: string, picture: Sharp][] = [
    ['a phone’s photo of 48 megapixels, on its side', plain(8000, 6000).withMetadata({ orientation: 6 }).jpeg()],
    ['a progressive JPEG of 24 megapixels', plain(6000, 4000).jpeg({ progressive: true })],
    ['an interlaced PNG of 9 megapixels', plain(3000, 2999, 4).png({ progressive: true })],
  ];
  for (const [what, picture] of affordable) {
    test(`[PICTURE-2] ${what} is processed`, async () => {
      assert.equal((await rendered(await picture.toBuffer(), [96])).length, 1);
    });
  }

  const tooLarge: [what: string, size: number, picture: Sharp][] = [
    ['a progressive JPEG of 64 megapixels', 8000, plain(16, 16).jpeg({ progressive: true })],
    ['an interlaced PNG of 64 megapixels', 8000, plain(16, 16).png({ progressive: true })],
    ['a WebP of 25 megapixels', 5000, plain(16, 16).webp({ lossless: true })],
    ['a PNG of 144 megapixels', 12_000, plain(16, 16).png()],
  ];
  for (const [what, size, picture] of tooLarge) {
    test(`[PICTURE-2] ${what} is too large`, async () => {
      const bytes = withSize(await picture.toBuffer(), size);
      const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata();
      assert.deepEqual([width, height], [size, size]);
      await assert.rejects(rendered(bytes, [96]), new UnusablePictureError('too_large'));
    });
  }
});

/** A small square picture whose header states another size, because drawing and compressing a large one takes seconds. */
function withSize(picture: Buffer, size: number): Buffer {
  const bytes = Buffer.from(picture);
  const jpegFrame = bytes.indexOf(Buffer.from([0xff, 0xc2]));
  if (bytes.toString('latin1', 1, 4) === 'PNG') {
    bytes.writeUInt32BE(size, 16);
    bytes.writeUInt32BE(size, 20);
    bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  } else if (bytes.toString('latin1', 12, 16) === 'VP8L') {
    // Width and height have 14 bits each and are stored minus one.
    bytes.writeUInt32LE(((size - 1) | ((size - 1) << 14)) >>> 0, 21);
  } else {
    bytes.writeUInt16BE(size, jpegFrame + 5);
    bytes.writeUInt16BE(size, jpegFrame + 7);
  }
  return bytes;
}

test('a picture that cannot be decoded is damaged, and our process goes on', async () => {
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
