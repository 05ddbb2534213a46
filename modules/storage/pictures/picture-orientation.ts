/** The tag of a picture's metadata that says how to turn it: the only one that is kept (Exif 2.32, 4.6.4). */
const ORIENTATION_TAG = 0x0112;
const SHORT = 3;

/** 1 to 8, or 1 where the metadata does not say. `tiff` begins with its byte order. */
export function readOrientation(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return 1;
  const short = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number) => (order === 'II' ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  const directory = long(4);
  if (directory + 2 > tiff.length) return 1;
  const end = Math.min(directory + 2 + short(directory) * 12, tiff.length - 11);
  for (let entry = directory + 2; entry < end; entry += 12) {
    if (short(entry) !== ORIENTATION_TAG || short(entry + 2) !== SHORT) continue;
    const value = short(entry + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Metadata that says nothing else, or null where there is nothing to say. */
export function orientationOnly(orientation: number): Buffer | null {
  if (orientation === 1) return null;
  const tiff = emptyTiff(26);
  tiff.writeUInt16LE(1, 8);
  tiff.writeUInt16LE(ORIENTATION_TAG, 10);
  tiff.writeUInt16LE(SHORT, 12);
  tiff.writeUInt32LE(1, 14);
  tiff.writeUInt16LE(orientation, 18);
  return tiff;
}

/** Metadata of `length` bytes, at least 14, without an entry; zeros from there on. */
export function emptyTiff(length: number): Buffer {
  const tiff = Buffer.alloc(length);
  tiff.write('II*\0', 'latin1');
  tiff.writeUInt32LE(8, 4);
  return tiff;
}
