import { DamagedPictureError, type PictureReader, type PictureWriter } from './picture-bytes.ts';
import { orientationOnly, readOrientation } from './picture-orientation.ts';

const START = 0xffd8;
const END = 0xd9;
const SCAN = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const EXIF = 'Exif\0\0';
const COLORS = 'ICC_PROFILE\0';
const JFIF = 'JFIF\0';
const ADOBE = 'Adobe';
/** Marker, length, and JFIF data without its thumbnail. */
const JFIF_BYTES = 18;
/** Marker, length, and Adobe's color transform. */
const ADOBE_BYTES = 16;
/** Frames, Huffman and arithmetic tables, quantization, number of lines, restart interval (ITU-T T.81, table B.1). */
const DRAWING = new Set([...range(0xc0, 0xc7), ...range(0xc9, 0xcf), 0xdb, 0xdc, 0xdd]);

interface Segment {
  marker: number;
  /** The start of the marker, the start of the content, and the end (exclusive), which includes the image data of a scan. */
  start: number;
  content: number;
  end: number;
}

/**
 * Writes a JPEG with only the segments that draw it (ITU-T T.81, annex B), JFIF and Adobe's color transform, the color profile,
 * and the orientation (PICTURE-1). Comments, all other application segments, and everything after the picture are left out. Stray
 * and fill bytes between segments are skipped, as decoders do.
 * @throws {DamagedPictureError} for anything without an image.
 */
export function cleanJpeg(reader: PictureReader, writer: PictureWriter): void {
  const exif = orientationOnly(findOrientation(reader));
  writer.copy(reader, 0, 2);
  if (exif !== null) writer.write(exifSegment(exif));
  for (const segment of listSegments(reader)) {
    const { start, end } = segment;
    const needed = copiedBytes(reader, segment);
    if (needed === 0) continue;
    if (segment.marker !== APP0) writer.copy(reader, start, Math.min(end, start + needed));
    else writer.write(jfifSegment(reader, segment));
  }
}

/** The number of passes of a decoder: one, or one for each scan of a progressive picture. */
export function countScans(reader: PictureReader): number {
  let scans = 0;
  for (const { marker } of listSegments(reader)) if (marker === SCAN) scans++;
  return scans;
}

/** Yields every segment up to the end of the picture. A segment that is cut off inside its image data ends with the file. */
function* listSegments(reader: PictureReader): Generator<Segment> {
  if (reader.uint16(0) !== START) throw new DamagedPictureError('it has no start');
  let at = 2;
  let hasFrame = false;
  for (let scans = 0; ; ) {
    const start = findMarker(reader, at);
    const marker = start === null ? START & 0xff : reader.byte(start + 1);
    // A second start marker begins another picture, which some phones append.
    const isOver = start === null || marker === (START & 0xff) || (marker !== END && !isWhole(reader, start));
    if (isOver && scans > 0) return;
    if (isOver) throw new DamagedPictureError('a segment is missing');
    if (marker === END && scans === 0) throw new DamagedPictureError('it has no image');
    if (marker === END) return yield { marker, start, content: start + 2, end: start + 2 };
    hasFrame ||= marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xcc;
    let end = start + 2 + reader.uint16(start + 2);
    if (marker === SCAN) {
      if (!hasFrame) throw new DamagedPictureError('it has no frame');
      end = findScanEnd(reader, end);
      scans++;
    }
    yield { marker, start, content: start + 4, end };
    at = end;
  }
}

/** The position of the next marker with a length, or of the end marker; null at the end of the file. */
function findMarker(reader: PictureReader, from: number): number | null {
  let isMarker = false;
  for (let at = from; at < reader.size; ) {
    const window = reader.windowAt(at);
    for (let index = 0; index < window.length; index++) {
      const byte = window[index] as number;
      // Restart markers and 0xff01 have no length and mean nothing here.
      if (isMarker && byte >= 0xc0 && byte !== 0xff && (byte < 0xd0 || byte > 0xd7)) return at + index - 1;
      isMarker = byte === 0xff;
    }
    at += window.length;
  }
  return null;
}

function isWhole(reader: PictureReader, start: number): boolean {
  if (start + 4 > reader.size) return false;
  const length = reader.uint16(start + 2);
  return length >= 2 && start + 2 + length <= reader.size;
}

/**
 * The position of the next marker after the image data, or the end of a picture that was cut off. 0xff00 and restart markers are
 * part of the data.
 */
function findScanEnd(reader: PictureReader, from: number): number {
  let isMarker = false;
  for (let at = from; at < reader.size; ) {
    const window = reader.windowAt(at);
    for (let index = 0; index < window.length; index++) {
      const byte = window[index] as number;
      if (isMarker && byte !== 0 && byte !== 0xff && (byte < 0xd0 || byte > 0xd7)) return at + index - 1;
      isMarker = byte === 0xff;
    }
    at += window.length;
  }
  return reader.size;
}

/** The number of bytes to keep from the start of a segment. */
function copiedBytes(reader: PictureReader, { marker, content, end }: Segment): number {
  if (marker === SCAN || marker === END || DRAWING.has(marker)) return Number.POSITIVE_INFINITY;
  if (marker === APP0) return end - content >= JFIF_BYTES - 4 && reader.hasText(content, end, JFIF) ? JFIF_BYTES : 0;
  if (marker === APP2) return reader.hasText(content, end, COLORS) ? Number.POSITIVE_INFINITY : 0;
  if (marker === APP14) return end - content === ADOBE_BYTES - 4 && reader.hasText(content, end, ADOBE) ? ADOBE_BYTES : 0;
  return 0;
}

function findOrientation(reader: PictureReader): number {
  for (const { marker, content, end } of listSegments(reader)) {
    if (marker === SCAN) return 1;
    if (marker !== APP1 || !reader.hasText(content, end, EXIF)) continue;
    return readOrientation(reader, content + EXIF.length, end);
  }
  return 1;
}

/** Drops the thumbnail of JFIF, which may show the picture before it was cropped. */
function jfifSegment(reader: PictureReader, { start }: Segment): Buffer {
  const segment = Buffer.from(reader.text(start, JFIF_BYTES), 'latin1');
  segment.writeUInt16BE(JFIF_BYTES - 2, 2);
  segment.writeUInt16BE(0, JFIF_BYTES - 2);
  return segment;
}

function exifSegment(tiff: Buffer): Buffer {
  const head = Buffer.from([0xff, APP1, 0, 0]);
  head.writeUInt16BE(2 + EXIF.length + tiff.length, 2);
  return Buffer.concat([head, Buffer.from(EXIF, 'latin1'), tiff]);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
