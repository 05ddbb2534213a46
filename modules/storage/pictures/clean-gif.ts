import { DamagedPictureError, type PictureReader, type PictureWriter } from './picture-bytes.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** How often an animation repeats is in three bytes of one block, after one of these names (GIF89a, 26). */
const LOOPING = ['NETSCAPE2.0', 'ANIMEXTS1.0'];
const LOOPING_BYTES = 19;

/**
 * Writes a GIF with only what draws it: colors, images, their timing, and the number of repeats. Comments, texts, and data of
 * other programs, such as XMP, are left out (PICTURE-1). A GIF that was cut off after a complete image is closed there.
 * @throws {DamagedPictureError} for anything without a complete image.
 */
export function cleanGif(reader: PictureReader, writer: PictureWriter): void {
  const { size } = reader;
  if (!reader.hasText(0, size, 'GIF87a') && !reader.hasText(0, size, 'GIF89a')) {
    throw new DamagedPictureError('it has no signature');
  }
  let at = 13 + colorsBytes(reader.byte(10));
  if (at > size) throw new DamagedPictureError('it ends too early');
  writer.copy(reader, 0, at);
  let hasImage = false;
  while (at < size && reader.byte(at) !== TRAILER) {
    const end = findBlockEnd(reader, at);
    if (end === null && hasImage) break;
    if (end === null) throw new DamagedPictureError('it ends too early');
    if (isNeeded(reader, at, end)) writer.copy(reader, at, end);
    hasImage ||= reader.byte(at) === IMAGE;
    at = end;
  }
  if (!hasImage) throw new DamagedPictureError('it has no image');
  writer.write(Buffer.from([TRAILER]));
}

function isNeeded(reader: PictureReader, at: number, end: number): boolean {
  if (reader.byte(at) === IMAGE) return true;
  const label = reader.byte(at + 1);
  if (label === GRAPHIC_CONTROL) return end - at === 8;
  return label === APPLICATION && end - at === LOOPING_BYTES && LOOPING.includes(reader.text(at + 3, 11));
}

/** The end of an image or extension, exclusive; null if the file ends earlier. */
function findBlockEnd(reader: PictureReader, start: number): number | null {
  const kind = reader.byte(start);
  if (kind !== IMAGE && kind !== EXTENSION) throw new DamagedPictureError('an unknown block');
  let at = start + 2;
  if (kind === IMAGE) {
    if (start + 10 > reader.size) return null;
    at = start + 11 + colorsBytes(reader.byte(start + 9));
  }
  for (let length = -1; length !== 0; at += 1 + length) {
    if (at >= reader.size) return null;
    length = reader.byte(at);
  }
  return at;
}

/** The size in bytes of the color table that these flags declare. */
function colorsBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}
