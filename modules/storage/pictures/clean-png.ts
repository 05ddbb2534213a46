import { crc32 } from 'node:zlib';
import { DamagedPictureError, type PictureReader, type PictureWriter } from './picture-bytes.ts';
import { orientationOnly, readOrientation } from './picture-orientation.ts';

const SIGNATURE = '\x89PNG\r\n\x1a\n';
/**
 * Chunks that draw the picture (PNG 3rd edition, 5.6): pixels, palette, colors, size, and frames. Any other chunk may contain
 * anything.
 */
const NEEDED = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'cHRM',
  'gAMA',
  'iCCP',
  'sBIT',
  'sRGB',
  'cICP',
  'mDCV',
  'cLLI',
  'bKGD',
  'pHYs',
  'hIST',
  'acTL',
  'fcTL',
  'fdAT',
]);
const HEADER_BYTES = 13;

/**
 * Writes a PNG with only the chunks that draw it, and its orientation (PICTURE-1). A picture that was cut off after a complete
 * chunk of its image is closed there.
 * @throws {DamagedPictureError} for anything without a header and an image.
 */
export function cleanPng(reader: PictureReader, writer: PictureWriter): void {
  if (!reader.hasText(0, reader.size, SIGNATURE)) throw new DamagedPictureError('it has no signature');
  const { size } = reader;
  writer.copy(reader, 0, 8);
  let hasImage = false;
  let hasOrientation = false;
  for (let at = 8; ; ) {
    const isWhole = at + 12 <= size && at + 12 + reader.uint32(at) <= size;
    if (!isWhole && !hasImage) throw new DamagedPictureError('it ends too early');
    if (!isWhole) break;
    const length = reader.uint32(at);
    const type = reader.text(at + 4, 4);
    const end = at + 12 + length;
    if ((at === 8) !== (type === 'IHDR' && length === HEADER_BYTES)) throw new DamagedPictureError('it has no header');
    if (type === 'IEND' && !hasImage) throw new DamagedPictureError('it has no image');
    if (type === 'IEND') break;
    hasImage ||= type === 'IDAT';
    if (NEEDED.has(type)) writer.copy(reader, at, end);
    else if (type === 'eXIf' && !hasOrientation) {
      const exif = orientationOnly(readOrientation(reader, at + 8, at + 8 + length));
      if (exif !== null) writer.write(chunk('eXIf', exif));
      hasOrientation = exif !== null;
    }
    at = end;
  }
  writer.write(chunk('IEND', Buffer.alloc(0)));
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
