import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DamagedPictureError, type PictureInput, PictureReader, PictureWriter } from './picture-bytes.ts';

const WINDOW = 64 * 1024;
const SIZES = [0, 1, 2, 3, 7, 8, 9, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW - 1, 2 * WINDOW, 2 * WINDOW + 5, 200_000];
/** Bytes that are different at each position and for each seed. */
const ALL = [0, 1, 2, 3].map((seed) => Buffer.from(Uint8Array.from({ length: 300_000 }, (_, at) => ((at + seed) * 7919) >> 3)));
const bytesOf = (size: number, seed = 0) => (ALL[seed] as Buffer).subarray(0, size);

/** A picture in memory that notes the positions of its reads, each of which must be able to fill the window. */
function inputOf(bytes: Buffer, size = bytes.length): PictureInput & { reads: number[] } {
  const reads: number[] = [];
  return {
    size,
    reads,
    read(target, position) {
      assert.equal(target.length, WINDOW, 'all memory of a window is used');
      reads.push(position);
      return bytes.copy(target, 0, position);
    },
  };
}

/** A file in memory, and the lengths of its writes. */
function outputOf() {
  const lengths: number[] = [];
  let file = Buffer.alloc(0);
  const write = (bytes: Buffer, position: number) => {
    lengths.push(bytes.length);
    if (file.length < position + bytes.length) file = Buffer.concat([file, Buffer.alloc(position + bytes.length - file.length)]);
    bytes.copy(file, position);
  };
  return { output: { write }, lengths, file: () => file };
}

/** The value, or that it is outside the picture. */
function resultOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedPictureError || error instanceof RangeError) return 'outside';
    throw error;
  }
}

/** Sizes around whole windows, and positions around both ends of each window and of the picture. */
const picture = fc.constantFrom(...SIZES).chain((size) => {
  const places = [0, WINDOW, 2 * WINDOW, size].flatMap((place) => [-9, -8, -4, -3, -2, -1, 0, 1, 2].map((step) => place + step));
  const place = fc.oneof(fc.constantFrom(...places.filter((at) => at >= 0)), fc.nat(size + 10));
  return fc.record({ size: fc.constant(size), places: fc.array(place, { minLength: 1, maxLength: 12 }) });
});

test('[PICTURE-1] numbers and names are read wherever they are, over the edge of a window too, and never from beyond the end', () => {
  fc.assert(
    fc.property(picture, ({ size, places }) => {
      const bytes = bytesOf(size);
      const reader = new PictureReader(inputOf(bytes));
      const inside = (at: number, length: number, value: () => unknown) => (at + length <= size ? value() : 'outside');
      for (const at of places) {
        const read = [
          resultOf(() => reader.byte(at)),
          resultOf(() => reader.uint16(at)),
          resultOf(() => reader.uint16(at, true)),
          resultOf(() => reader.uint32(at)),
          resultOf(() => reader.uint32(at, true)),
          resultOf(() => reader.uint64(at)),
          resultOf(() => reader.text(at, 9)),
          resultOf(() => reader.windowAt(at)[0]),
        ];
        assert.deepEqual(read, [
          inside(at, 1, () => bytes[at]),
          inside(at, 2, () => bytes.readUInt16BE(at)),
          inside(at, 2, () => bytes.readUInt16LE(at)),
          inside(at, 4, () => bytes.readUInt32BE(at)),
          inside(at, 4, () => bytes.readUInt32LE(at)),
          inside(at, 8, () => Number(bytes.readBigUInt64BE(at))),
          inside(at, 9, () => bytes.toString('latin1', at, at + 9)),
          inside(at, 1, () => bytes[at]),
        ]);
        const name = bytes.toString('latin1', at, at + 3).padEnd(3);
        const isThere = [at + 3, at + 2].map((end) => reader.hasText(at, Math.min(end, size), name));
        assert.deepEqual(isThere, [at + 3 <= size, false], 'a name is looked for within an end');
      }
    }),
  );
});

test('[PICTURE-2] a picture that is read from its start to its end is read once, one whole window at a time', () => {
  for (const size of SIZES) {
    const bytes = bytesOf(size);
    const input = inputOf(bytes);
    const { output, file, lengths } = outputOf();
    const writer = new PictureWriter(output);
    writer.copy(new PictureReader(input), 0, size);
    writer.flush();
    const windows = Array.from({ length: Math.ceil(size / WINDOW) }, (_, at) => at * WINDOW);
    assert.deepEqual(input.reads, windows, `${size} bytes`);
    assert.deepEqual(
      lengths,
      windows.map((at) => Math.min(WINDOW, size - at)),
      'and written as few times',
    );
    assert.ok(file().equals(bytes));
  }
});

test('[PICTURE-3] a picture that is shorter than it says is damaged, wherever it is read', () => {
  for (const missing of [1, 2, WINDOW, WINDOW + 1]) {
    const size = 2 * WINDOW + 1;
    const reader = new PictureReader(inputOf(bytesOf(size - missing), size));
    const last = resultOf(() => reader.byte(size - 1));
    const before = resultOf(() => reader.windowAt(Math.max(0, size - missing - 1)));
    assert.deepEqual([last, before], ['outside', 'outside'], `${missing} bytes are missing`);
  }
});

type Step = ['write' | 'copy' | 'zeros', number] | ['patch', number, number] | ['flush'];
const amount = fc.oneof(fc.constantFrom(0, 1, 2, WINDOW - 1, WINDOW, WINDOW + 1), fc.nat(300));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom('write' as const, 'copy' as const, 'zeros' as const), amount),
  fc.tuple(fc.constant('patch' as const), fc.nat(1_000_000), fc.integer({ min: 1, max: 4 })),
  fc.tuple(fc.constant('flush' as const)),
);

test('[PICTURE-1] whatever is written, copied, filled, and overwritten is in the file, in this order', () => {
  const source = bytesOf(2 * WINDOW, 1);
  const reader = new PictureReader(inputOf(source));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const { output, file } = outputOf();
      const writer = new PictureWriter(output);
      let expected = Buffer.alloc(0);
      for (const [kind, size = 0, length = 0] of steps) {
        const added = kind === 'zeros' ? Buffer.alloc(size) : bytesOf(size, 2);
        if (kind === 'write') writer.write(added);
        if (kind === 'zeros') writer.zeros(size);
        if (kind === 'copy') writer.copy(reader, source.length - size, source.length);
        if (kind === 'write' || kind === 'zeros') expected = Buffer.concat([expected, added]);
        if (kind === 'copy') expected = Buffer.concat([expected, source.subarray(source.length - size)]);
        if (kind === 'flush') writer.flush();
        if (kind === 'patch' && expected.length >= length) {
          const at = size % (expected.length - length + 1);
          writer.patch(at, bytesOf(length, 3));
          bytesOf(length, 3).copy(expected, at);
        }
        assert.equal(writer.size, expected.length);
      }
      writer.flush();
      assert.ok(file().equals(expected), JSON.stringify(steps));
    }),
  );
});
