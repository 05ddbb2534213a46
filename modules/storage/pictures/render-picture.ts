import { fileURLToPath } from 'node:url';
import type { SpooledFile } from '../spool-file.ts';
import { UnusablePictureError } from './clean-pictures.ts';
import { type PictureTurn, runPictureProcess } from './picture-process.ts';

export interface Rendition {
  /** The side length in pixels. */
  width: number;
  /** WebP without metadata. */
  bytes: Buffer;
}

const PROGRAM = fileURLToPath(new URL('render-picture-process.ts', import.meta.url));
/** Enough for the reservation of Node.js, sharp, a decoded picture (picture-cost.ts), and the file itself. */
const DATA_MIB = 740;

/**
 * Makes square, upright WebP versions of the center of a picture, in a picture process (PICTURE-2).
 * @throws {UnusablePictureError} when it cannot be decoded, or would need too much memory or time.
 * @throws as `runPictureProcess`.
 */
export async function renderPicture(picture: SpooledFile, widths: readonly number[], turn: PictureTurn): Promise<Rendition[]> {
  const { output, failure } = await runPictureProcess(
    { path: PROGRAM, args: widths.map(String), files: [picture.fd], dataMiB: DATA_MIB },
    turn,
  );
  if (failure !== null) throw new UnusablePictureError(failure);
  return readRenditions(output, widths);
}

/** Each rendition follows its length in four bytes. */
function readRenditions(output: Buffer, widths: readonly number[]): Rendition[] {
  let at = 0;
  return widths.map((width) => {
    if (at + 4 > output.length) throw new UnusablePictureError('damaged');
    const start = at + 4;
    at = start + output.readUInt32BE(at);
    if (at > output.length) throw new UnusablePictureError('damaged');
    return { width, bytes: output.subarray(start, at) };
  });
}
