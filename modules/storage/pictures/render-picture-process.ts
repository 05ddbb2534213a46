import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';

/**
 * The program that `renderPicture` starts: a picture on standard input, square WebP versions of the widths that are its
 * arguments on standard output, each behind its length. Its exit code says whether it could be decoded.
 */

/** A phone's largest photograph has 50 million pixels; each takes four bytes. */
const PIXELS_MAX = 64_000_000;
const SECONDS_MAX = 15;

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });
sharp.cache(false);
sharp.concurrency(1);
const input = await buffer(process.stdin);
for (const argument of process.argv.slice(2)) {
  const width = Number(argument);
  const picture = await sharp(input, { limitInputPixels: PIXELS_MAX, failOn: 'error', pages: 1 })
    .timeout({ seconds: SECONDS_MAX })
    .autoOrient()
    .resize(width, width, { fit: 'cover' })
    .toColourspace('srgb')
    .webp({ quality: 82 })
    .toBuffer();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(picture.length);
  process.stdout.write(Buffer.concat([length, picture]));
}
