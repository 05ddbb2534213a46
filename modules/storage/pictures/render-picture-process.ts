import { writeSync } from 'node:fs';
import sharp from 'sharp';
import { countScans } from './clean-jpeg.ts';
import { openInput } from './open-file.ts';
import { PictureReader } from './picture-bytes.ts';
import { isAffordable, type PictureShape } from './picture-cost.ts';
import { DAMAGED_EXIT, READY, TOO_LARGE_EXIT } from './process-answer.ts';

/**
 * The program that `renderPicture` starts. For each width in its arguments it writes the length and the bytes of a square WebP
 * version of the open file 3.
 */

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });
sharp.cache(false);
sharp.concurrency(1);
writeSync(1, READY);
try {
  const file = openInput(3);
  // The size is limited by the limit of uploads.
  const input = Buffer.alloc(file.size);
  file.read(input, 0);
  const shape = await readShape(input, new PictureReader(file));
  if (!isAffordable(shape)) process.exit(TOO_LARGE_EXIT);
  for (const width of process.argv.slice(2).map(Number)) writeRendition(await render(input, width));
} catch (error) {
  process.exitCode = /memory|allocat/i.test(String(error)) ? TOO_LARGE_EXIT : DAMAGED_EXIT;
}

async function readShape(input: Buffer, reader: PictureReader): Promise<PictureShape> {
  const shape = await sharp(input, { limitInputPixels: false, failOn: 'error' }).metadata();
  const { format, width, height, channels, depth, isProgressive = false, chromaSubsampling = '' } = shape;
  return {
    format,
    width,
    height,
    channels,
    isProgressive,
    sampleBytes: depth === 'uchar' ? 1 : 2,
    hasFewColors: chromaSubsampling.startsWith('4:2:0'),
    passes: format === 'jpeg' ? countScans(reader) : 1,
  };
}

function render(input: Buffer, width: number): Promise<Buffer> {
  return sharp(input, { limitInputPixels: false, failOn: 'error', pages: 1 })
    .autoOrient()
    .resize(width, width, { fit: 'cover' })
    .toColourspace('srgb')
    .webp({ quality: 82 })
    .toBuffer();
}

function writeRendition(picture: Buffer): void {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(picture.length);
  for (const bytes of [length, picture]) for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}
