import { cleanGif } from './clean-gif.ts';
import { cleanHeic } from './clean-heic.ts';
import { cleanJpeg } from './clean-jpeg.ts';
import { cleanPng } from './clean-png.ts';
import { cleanWebp } from './clean-webp.ts';
import { type PictureInput, type PictureOutput, PictureReader, PictureWriter } from './picture-bytes.ts';

const CLEANERS: Record<string, (reader: PictureReader, writer: PictureWriter) => void> = {
  'image/jpeg': cleanJpeg,
  'image/png': cleanPng,
  'image/webp': cleanWebp,
  'image/gif': cleanGif,
  'image/heic': cleanHeic,
};

/**
 * Copies a picture without its camera data and location, and with its pixels, colors, and orientation (PICTURE-1). Time and reads
 * grow with the size of the file, and memory does not.
 * @param contentType one of `PICTURE_TYPES`.
 * @throws {DamagedPictureError} when it breaks the rules of its format.
 */
export function cleanBytes(contentType: string, input: PictureInput, output: PictureOutput): void {
  const clean = CLEANERS[contentType];
  if (clean === undefined) throw new Error(`No cleaner for ${contentType}.`);
  const writer = new PictureWriter(output);
  clean(new PictureReader(input), writer);
  writer.flush();
}
