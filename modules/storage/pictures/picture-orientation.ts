import type { PictureReader } from './picture-bytes.ts';

/** The orientation is the only metadata that is kept (Exif 2.32, 4.6.4). */
const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
/** Cameras write about twenty entries. */
const ENTRIES_MAX = 500;

/** Reads the orientation from the Exif data between `start` and `end`: 1 to 8, or 1 if there is none. */
export function readOrientation(reader: PictureReader, start: number, end: number): number {
  const isLittleEndian = reader.hasText(start, end, 'II');
  if (end - start < 8 || (!isLittleEndian && !reader.hasText(start, end, 'MM'))) return 1;
  const directory = start + reader.uint32(start + 4, isLittleEndian);
  if (directory + 2 > end) return 1;
  const count = Math.min(reader.uint16(directory, isLittleEndian), ENTRIES_MAX);
  for (let at = directory + 2, remaining = count; remaining > 0 && at + 12 <= end; at += 12, remaining--) {
    if (reader.uint16(at, isLittleEndian) !== ORIENTATION_TAG) continue;
    const value = reader.uint16(at + 8, isLittleEndian);
    return reader.uint16(at + 2, isLittleEndian) === SHORT && value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Exif data with only an orientation, or null for the normal one. */
export function orientationOnly(orientation: number): Buffer | null {
  if (orientation === 1) return null;
  const tiff = Buffer.alloc(26);
  EMPTY_TIFF.copy(tiff);
  tiff.writeUInt16LE(1, 8);
  tiff.writeUInt16LE(ORIENTATION_TAG, 10);
  tiff.writeUInt16LE(SHORT, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(orientation, 18);
  return tiff;
}

/** Exif data without entries; zeros may follow. */
export const EMPTY_TIFF = Buffer.from('49492a00080000000000000000000000', 'hex').subarray(0, 14);
