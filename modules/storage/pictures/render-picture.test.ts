import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import sharp from 'sharp';
import type { ByteSource } from '../byte-source.ts';
import { SAMPLES } from '../sample-files.ts';
import { DamagedPictureError } from './picture-pieces.ts';
import { renderPicture } from './render-picture.ts';

const sourceOf = (bytes: Buffer): ByteSource => ({ size: bytes.length, open: () => Readable.from([bytes]) });

test('a picture becomes small squares, upright, without metadata', async () => {
  const red = { r: 255, g: 0, b: 0 };
  const wide = sharp({ create: { width: 900, height: 300, channels: 3, background: red } });
  const original = await wide
    .withExif({ IFD0: { Make: 'somebody' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const renditions = await renderPicture(sourceOf(original), [96, 256]);
  for (const [index, width] of [96, 256].entries()) {
    const bytes = renditions[index]?.bytes as Buffer;
    const found = await sharp(bytes).metadata();
    assert.deepEqual([found.format, found.width, found.height, found.exif], ['webp', width, width, undefined]);
    assert.ok(!bytes.includes('somebody'));
  }
});

test('a hostile picture is refused, and nothing of ours ends with it', async () => {
  const bomb = await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: 'white' } })
    .png({ compressionLevel: 9 })
    .toBuffer();
  const cut = (await sharp(SAMPLES.png).resize(400, 400).png().toBuffer()).subarray(0, 200);
  for (const [what, bytes] of [
    ['144 million pixels', bomb],
    ['cut off', cut],
    ['no picture', SAMPLES.jpg],
    ['a drawing that names a file', Buffer.from('<svg><image href="file:///etc/passwd"/></svg><!--')],
    ['nothing', Buffer.alloc(0)],
  ] as const) {
    await assert.rejects(renderPicture(sourceOf(bytes), [96]), DamagedPictureError, what);
  }
});
