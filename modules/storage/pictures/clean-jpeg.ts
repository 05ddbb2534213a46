import type { ByteSource } from '../byte-source.ts';
import { orientationOnly, readOrientation } from './picture-orientation.ts';
import { DamagedPictureError, type Piece, readExactly } from './picture-pieces.ts';

const START = 0xd8;
const END = 0xd9;
const SCAN = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
const COMMENT = 0xfe;
const SEGMENTS_MAX = 20_000;
const WINDOW_BYTES = 64 * 1024;
const EXIF = 'Exif\0\0';
const COLOURS = 'ICC_PROFILE\0';

/**
 * A JPEG without what it says about its maker and place (ITU-T T.81, annex B): all application segments but JFIF's, the
 * colour profile and Adobe's colour transform; comments; and whatever follows the picture, where phones keep a second
 * one or a film. The picture itself is untouched; of its metadata only the orientation stays.
 */
export async function cleanJpeg(source: ByteSource): Promise<Piece[]> {
  const kept: Piece[] = [];
  let orientation = 1;
  let at = 2;
  if ((await readExactly(source, 0, 2)).readUInt16BE(0) !== (0xff00 | START)) throw new DamagedPictureError('no start');
  for (let count = 0; count < SEGMENTS_MAX; count++) {
    const { marker, after } = await readMarker(source, at);
    if (marker === END) return withOrientation([...kept, { start: at, end: after - 1 }], orientation);
    const length = (await readExactly(source, after, 2)).readUInt16BE(0);
    if (length < 2) throw new DamagedPictureError('a segment without length');
    let end = after + length;
    if (marker === APP1) orientation = (await orientationIn(source, after + 2, length - 2)) ?? orientation;
    if (marker === SCAN) end = await findScanEnd(source, end);
    if (marker === SCAN || (await isNeeded(source, marker, after + 2, length - 2))) {
      kept.push({ start: at, end: end - 1 });
    }
    if (marker === SCAN && end === source.size) return withOrientation(kept, orientation);
    at = end;
  }
  throw new DamagedPictureError('too many segments');
}

function withOrientation(kept: Piece[], orientation: number): Piece[] {
  const exif = orientationOnly(orientation);
  return [{ start: 0, end: 1 }, ...(exif === null ? [] : [exifSegment(exif)]), ...kept];
}

/** Any number of 0xff may stand before a marker. */
async function readMarker(source: ByteSource, at: number): Promise<{ marker: number; after: number }> {
  const bytes = await readExactly(source, at, 2);
  if (bytes[0] !== 0xff) throw new DamagedPictureError('no marker where one belongs');
  let after = at + 2;
  let marker = bytes[1] as number;
  for (let fill = 0; marker === 0xff && fill < 1024; fill++)
    marker = (await readExactly(source, after++, 1))[0] as number;
  if (marker < 0xc0 || (marker >= 0xd0 && marker <= START) || marker === 0xff) {
    throw new DamagedPictureError('an unknown marker');
  }
  return { marker, after };
}

async function isNeeded(source: ByteSource, marker: number, start: number, length: number): Promise<boolean> {
  if (marker === COMMENT) return false;
  if (marker < APP0 || marker > APP15 || marker === APP0 || marker === APP14) return true;
  return marker === APP2 && (await startsWith(source, start, length, COLOURS));
}

async function orientationIn(source: ByteSource, start: number, length: number): Promise<number | null> {
  if (!(await startsWith(source, start, length, EXIF))) return null;
  return readOrientation(await readExactly(source, start + EXIF.length, length - EXIF.length));
}

async function startsWith(source: ByteSource, start: number, length: number, text: string): Promise<boolean> {
  return length >= text.length && (await readExactly(source, start, text.length)).toString('latin1') === text;
}

/**
 * Where the next marker stands behind the entropy-coded data, or the end of a picture that was cut off: 0xff00 is data,
 * restart markers belong to it.
 */
async function findScanEnd(source: ByteSource, from: number): Promise<number> {
  let at = from;
  while (at < source.size - 1) {
    const window = await readExactly(source, at, Math.min(WINDOW_BYTES, source.size - at));
    for (let found = window.indexOf(0xff); found !== -1 && found < window.length - 1; ) {
      const next = window[found + 1] as number;
      if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at + found;
      found = window.indexOf(0xff, found + 1);
    }
    // The last byte is looked at again: its marker may be cut in two.
    at += window.length - 1;
  }
  return source.size;
}

function exifSegment(tiff: Buffer): Buffer {
  const head = Buffer.from([0xff, APP1, 0, 0]);
  head.writeUInt16BE(2 + EXIF.length + tiff.length, 2);
  return Buffer.concat([head, Buffer.from(EXIF, 'latin1'), tiff]);
}
