import type { ByteSource } from '../byte-source.ts';
import { orientationOnly, readOrientation } from './picture-orientation.ts';
import { DamagedPictureError, type Piece, readExactly, sizeOf } from './picture-pieces.ts';

const XMP_FLAG = 0x04;
const EXIF_FLAG = 0x08;
const CHUNKS_MAX = 20_000;
const METADATA_MAX_BYTES = 1024 * 1024;
/** What draws the picture (RFC 9649, 2.7); any other chunk may say anything. */
const NEEDED = new Set(['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP']);

/** A WebP without what it says about its maker and place. The picture is untouched; the orientation stays. */
export async function cleanWebp(source: ByteSource): Promise<Piece[]> {
  const head = await readExactly(source, 0, 12);
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8) !== 'WEBP') {
    throw new DamagedPictureError('no signature');
  }
  const whole = 8 + head.readUInt32LE(4);
  if (whole > source.size) throw new DamagedPictureError('it ends too early');
  const kept: Piece[] = [];
  let features: Buffer | null = null;
  let exif: Buffer | null = null;
  let at = 12;
  for (let count = 0; at + 8 <= whole; count++) {
    if (count >= CHUNKS_MAX) throw new DamagedPictureError('too many chunks');
    const { type, length } = chunkHead(await readExactly(source, at, 8));
    const end = at + 8 + length + (length % 2);
    if (at + 8 + length > whole) throw new DamagedPictureError('it ends too early');
    if (type === 'VP8X') {
      features = await readExactly(source, at, 8 + length);
      kept.push(features);
    } else if (type === 'EXIF' && length <= METADATA_MAX_BYTES) {
      exif = orientationOnly(readOrientation(tiffIn(await readExactly(source, at + 8, length))));
    } else if (NEEDED.has(type)) {
      kept.push({ start: at, end: Math.min(end, whole) - 1 });
    }
    at = end;
  }
  if (features !== null && features.length > 8) {
    features[8] = ((features[8] as number) & ~(XMP_FLAG | EXIF_FLAG)) | (exif === null ? 0 : EXIF_FLAG);
  }
  if (features !== null && exif !== null) kept.push(chunk('EXIF', exif));
  const start = Buffer.from(head);
  start.writeUInt32LE(4 + sizeOf(kept), 4);
  return [start, ...kept];
}

function chunkHead(head: Buffer): { type: string; length: number } {
  return { type: head.toString('latin1', 0, 4), length: head.readUInt32LE(4) };
}

/** Some programs write JPEG's prefix here too. */
function tiffIn(content: Buffer): Buffer {
  return content.toString('latin1', 0, 6) === 'Exif\0\0' ? content.subarray(6) : content;
}

/** `content` has an even length. */
function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}
