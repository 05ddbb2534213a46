import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import type { ByteSource } from '../byte-source.ts';
import { hasContentType } from './open-xml.ts';

const TYPE = 'application/a.main+xml';
const PART = '[Content_Types].xml';
const xml = (padding = 0) => Buffer.from(`<Types><Override ContentType="${TYPE}"/>${' '.repeat(padding)}</Types>`);

interface ZipPart {
  name: string;
  content: Buffer;
  method?: number;
  /** The lengths of the extra fields before the content and in the directory, and of the comment there. */
  extra?: { local?: number; central?: number; comment?: number };
}

/** A zip with everything that the format lets between its parts (APPNOTE 4.3). */
function zipOf(parts: readonly ZipPart[], commentBytes = 0): Buffer {
  const before: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, method = 0, extra: { local = 0, central = 0, comment = 0 } = {} } of parts) {
    const packed = method === 8 ? deflateRawSync(content) : content;
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(name.length, 26);
    head.writeUInt16LE(local, 28);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(central, 30);
    entry.writeUInt16LE(comment, 32);
    entry.writeUInt32LE(at, 42);
    const written = [head, Buffer.from(name), Buffer.alloc(local, 0xee), packed];
    before.push(...written);
    directory.push(entry, Buffer.from(name), Buffer.alloc(central + comment, 0xee));
    at += written.reduce((sum, { length }) => sum + length, 0);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(commentBytes, 20);
  return Buffer.concat([...before, ...directory, end, Buffer.alloc(commentBytes, 0x20)]);
}

const isFound = (bytes: Buffer, type = TYPE) => {
  const source: ByteSource = {
    size: bytes.length,
    open: ({ start, end } = { start: 0, end: bytes.length - 1 }) => Readable.from([bytes.subarray(start, end + 1)]),
  };
  return hasContentType(source, type);
};

test('[FILE-2] the type of a document is found wherever a zip may have it, stored or compressed', async () => {
  const other = { name: 'word/document.xml', content: Buffer.alloc(100_000, 'a') };
  const [local, central, comment] = [{ local: 20 }, { central: 36 }, { comment: 9 }];
  const types = { name: PART, content: xml() };
  const rows: [what: string, parts: ZipPart[], commentBytes?: number][] = [
    ['alone', [types]],
    ['compressed', [{ ...types, method: 8 }]],
    ['after another part', [other, types]],
    ['before another part', [types, other]],
    ['after parts with extra fields', [{ ...other, extra: local }, { ...other, extra: central }, types]],
    ['after a part with a comment', [{ ...other, extra: comment }, types]],
    ['with everything of its own', [{ ...types, extra: { ...local, ...central, ...comment } }]],
    ['with a part that has a name of the same length', [{ ...other, name: 'x'.repeat(PART.length) }, types]],
    ['before a comment', [types], 1],
    ['before the longest comment', [types], 65_535],
  ];
  for (const [what, parts, commentBytes] of rows) {
    const bytes = zipOf(parts, commentBytes);
    assert.equal(await isFound(bytes), true, what);
    assert.equal(await isFound(bytes, 'application/b.main+xml'), false, `${what}: another type`);
  }
});

test('[FILE-2] a list of types that is far too large is not unpacked', async () => {
  const sized = (bytes: number) => xml(bytes - xml().length);
  const isRead = (content: Buffer, method: number) => isFound(zipOf([{ name: PART, content, method }]));
  const [stored, unpacked] = [256 * 1024, 1024 * 1024];
  assert.deepEqual([await isRead(sized(stored), 0), await isRead(sized(stored + 1), 0)], [true, false]);
  assert.deepEqual([await isRead(sized(unpacked), 8), await isRead(sized(unpacked + 1), 8)], [true, false]);
  assert.equal(await isRead(xml(), 9), false, 'an unknown method');
});
