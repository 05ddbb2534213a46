import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PictureReader } from './picture-bytes.ts';
import { orientationOnly, readOrientation } from './picture-orientation.ts';

const TAG = 0x0112;
const SHORT = 3;

interface Exif {
  isLittleEndian: boolean;
  /** Bytes before the Exif data in the file, and between its head and its entries. */
  before: number;
  gap: number;
  entries: readonly { tag: number; type: number; value: number }[];
}

function exifOf({ isLittleEndian, before, gap, entries }: Exif): Buffer {
  const bytes = Buffer.alloc(before + 8 + gap + 2 + entries.length * 12, 0xee);
  const uint16 = (value: number, at: number) =>
    isLittleEndian ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at);
  const uint32 = (value: number, at: number) =>
    isLittleEndian ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at);
  bytes.write(isLittleEndian ? 'II' : 'MM', before);
  uint16(42, before + 2);
  uint32(8 + gap, before + 4);
  const directory = before + 8 + gap;
  uint16(entries.length, directory);
  for (const [index, { tag, type, value }] of entries.entries()) {
    const at = directory + 2 + index * 12;
    uint16(tag, at);
    uint16(type, at + 2);
    uint32(1, at + 4);
    uint16(value, at + 8);
  }
  return bytes;
}

const read = (bytes: Buffer, start = 0, end = bytes.length) => {
  const reader = new PictureReader({ size: bytes.length, read: (target, position) => bytes.copy(target, 0, position) });
  return readOrientation(reader, start, end);
};
const other = { tag: 0x010f, type: 2, value: 3 };

test('[PICTURE-1] the orientation is read in either byte order, wherever its entry is, and only as one of the eight', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.nat(30),
      fc.nat(30),
      fc.oneof(fc.nat(20), fc.constantFrom(0, 498, 499)),
      fc.nat(9),
      (isLittleEndian, before, gap, place, value) => {
        const entries = [...Array(place).fill(other), { tag: TAG, type: SHORT, value }, other];
        const bytes = exifOf({ isLittleEndian, before, gap, entries });
        const expected = value >= 1 && value <= 8 ? value : 1;
        assert.equal(read(bytes, before), expected);
        assert.equal(read(bytes, before, bytes.length - 12), expected, 'its entry is the last one within the data');
        assert.equal(read(bytes, before, bytes.length - 13), 1, 'its entry is cut off');
      },
    ),
  );
  const data = { isLittleEndian: true, before: 0, gap: 0 };
  assert.equal(read(exifOf({ ...data, entries: [{ tag: TAG, type: 4, value: 6 }] })), 1, 'another kind of number');
  assert.equal(
    read(exifOf({ ...data, entries: [...Array(500).fill(other), { tag: TAG, type: SHORT, value: 6 }] })),
    1,
    'far behind',
  );
  assert.equal(read(exifOf({ ...data, entries: [] })), 1, 'no entry');
  assert.equal(read(Buffer.from('XX')), 1, 'no Exif data');
});

test('[PICTURE-1] only the orientation is written, and not the usual one', () => {
  assert.equal(orientationOnly(1), null);
  for (const orientation of [2, 3, 4, 5, 6, 7, 8]) {
    const exif = orientationOnly(orientation) ?? assert.fail('it is written');
    assert.deepEqual([read(exif), exif.length], [orientation, 26]);
  }
});
