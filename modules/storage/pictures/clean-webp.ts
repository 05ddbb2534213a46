import { DamagedPictureError, type PictureReader, type PictureWriter } from './picture-bytes.ts';
import { orientationOnly, readOrientation } from './picture-orientation.ts';

const XMP_FLAG = 0x04;
const EXIF_FLAG = 0x08;
/** VP8X has ten bytes, and is the first chunk if it exists (RFC 9649, 2.7). */
const FEATURES_BYTES = 10;
/** The bytes before the chunks of an animation frame. */
const FRAME_BYTES = 16;
const IMAGE = ['VP8 ', 'VP8L'];
/** Chunks that draw the picture. Any other chunk may contain anything. */
const NEEDED = new Set([...IMAGE, 'ALPH', 'ANIM', 'ICCP']);
const NEEDED_IN_FRAME = new Set([...IMAGE, 'ALPH']);
/** Some programs write the prefix of JPEG here, too. */
const EXIF_PREFIX = 'Exif\0\0';

interface Chunk {
  type: string;
  start: number;
  content: number;
  /** The end of the content, exclusive. After an odd length there is one more byte. */
  end: number;
}

/**
 * Writes a WebP with only the chunks that draw it, and its orientation (PICTURE-1).
 * @throws {DamagedPictureError} for anything that breaks RFC 9649 or has no image.
 */
export function cleanWebp(reader: PictureReader, writer: PictureWriter): void {
  const { size } = reader;
  if (!reader.hasText(0, size, 'RIFF') || !reader.hasText(8, size, 'WEBP')) {
    throw new DamagedPictureError('it has no signature');
  }
  const whole = 8 + reader.uint32(4, true);
  if (whole > size) throw new DamagedPictureError('it ends too early');
  writer.copy(reader, 0, 12);
  let features: { at: number; flags: number } | null = null;
  let exif: Buffer | null = null;
  let hasImage = false;
  for (const chunk of listChunks(reader, 12, whole)) {
    const { type, start, content, end } = chunk;
    if (type === 'VP8X') {
      if (start !== 12 || end - content !== FEATURES_BYTES) throw new DamagedPictureError('its features are odd');
      features = { at: writer.size + 8, flags: reader.byte(content) & ~(XMP_FLAG | EXIF_FLAG) };
      copyChunk(reader, writer, chunk);
    } else if (type === 'EXIF') exif ??= readExif(reader, content, end);
    else if (type === 'ANMF') hasImage = copyFrame(reader, writer, chunk) || hasImage;
    else if (NEEDED.has(type)) {
      hasImage ||= IMAGE.includes(type);
      copyChunk(reader, writer, chunk);
    }
  }
  if (!hasImage) throw new DamagedPictureError('it has no image');
  if (features !== null) {
    if (exif !== null) writer.write(chunkHead('EXIF', exif.length));
    if (exif !== null) writer.write(exif);
    writer.patch(features.at, Buffer.from([features.flags | (exif === null ? 0 : EXIF_FLAG)]));
  }
  writer.patch(4, uint32(writer.size - 8));
}

function* listChunks(reader: PictureReader, from: number, until: number): Generator<Chunk> {
  for (let start = from; start + 8 <= until; ) {
    const length = reader.uint32(start + 4, true);
    const content = start + 8;
    const end = content + length;
    if (end > until) throw new DamagedPictureError('it ends too early');
    yield { type: reader.text(start, 4), start, content, end };
    start = end + (length % 2);
  }
}

/** The byte after an odd length is written as zero. */
function copyChunk(reader: PictureReader, writer: PictureWriter, { start, content, end }: Chunk): void {
  writer.copy(reader, start, end);
  writer.zeros((end - content) % 2);
}

/** Copies a frame of an animation without the chunks that draw nothing (2.7.1.1). Returns true if it has an image. */
function copyFrame(reader: PictureReader, writer: PictureWriter, { content, end }: Chunk): boolean {
  if (end - content < FRAME_BYTES) throw new DamagedPictureError('a frame is cut');
  const at = writer.size;
  writer.write(chunkHead('ANMF', 0));
  writer.copy(reader, content, content + FRAME_BYTES);
  let hasImage = false;
  for (const chunk of listChunks(reader, content + FRAME_BYTES, end)) {
    if (!NEEDED_IN_FRAME.has(chunk.type)) continue;
    hasImage ||= IMAGE.includes(chunk.type);
    copyChunk(reader, writer, chunk);
  }
  writer.patch(at + 4, uint32(writer.size - at - 8));
  return hasImage;
}

function readExif(reader: PictureReader, content: number, end: number): Buffer | null {
  const start = reader.hasText(content, end, EXIF_PREFIX) ? content + EXIF_PREFIX.length : content;
  return orientationOnly(readOrientation(reader, start, end));
}

function chunkHead(type: string, length: number): Buffer {
  return Buffer.concat([Buffer.from(type, 'latin1'), uint32(length)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
