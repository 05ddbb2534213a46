import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type ByteSource, readBytes } from '../byte-source.ts';
import { BlockReader } from './block-reader.ts';

const inflate = promisify(inflateRaw);

const END_OF_DIRECTORY = Buffer.from('504b0506', 'hex');
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const END_BYTES = 22;
/** The end record is followed by a comment of at most 65,535 bytes (APPNOTE 4.3.16). */
const COMMENT_MAX = 65_535;
const ENTRIES_MAX = 10_000;
const PACKED_MAX = 256 * 1024;
const CONTENT_TYPES_MAX = 1024 * 1024;
const CONTENT_TYPES_PART = '[Content_Types].xml';

/**
 * True if an Office Open XML package declares this content type for one of its parts (ECMA-376 part 2, 10.1.2). Uses the central
 * directory of the zip, so the order of the parts does not matter. Only this part is unpacked, up to 1 MiB.
 */
export async function hasContentType(source: ByteSource, contentType: string): Promise<boolean> {
  const part = await readContentTypes(source);
  if (part === null) return false;
  for (const [, declared] of part.matchAll(/\bContentType\s{0,20}=\s{0,20}["']([^"']{1,200})["']/g)) {
    if (declared === contentType) return true;
  }
  return false;
}

interface Entry {
  method: number;
  packedSize: number;
  offset: number;
}

async function readContentTypes(source: ByteSource): Promise<string | null> {
  const blocks = new BlockReader(source);
  const entry = await findEntry(source, blocks);
  if (entry === null || entry.packedSize > PACKED_MAX) return null;
  const local = await blocks.read(entry.offset, 30);
  if (local?.readUInt32LE(0) !== LOCAL_ENTRY) return null;
  const start = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  const packed = await readBytes(source, start, entry.packedSize);
  if (packed.length < entry.packedSize) return null;
  if (entry.method === 0) return packed.toString('utf8');
  if (entry.method !== 8) return null;
  const part = await inflate(packed, { maxOutputLength: CONTENT_TYPES_MAX }).catch(() => null);
  return part?.toString('utf8') ?? null;
}

async function findEntry(source: ByteSource, blocks: BlockReader): Promise<Entry | null> {
  const tail = await readBytes(source, Math.max(0, source.size - END_BYTES - COMMENT_MAX), END_BYTES + COMMENT_MAX);
  const end = tail.lastIndexOf(END_OF_DIRECTORY, tail.length - END_BYTES);
  if (tail.length < END_BYTES || end === -1) return null;
  let at = tail.readUInt32LE(end + 16);
  for (let remaining = ENTRIES_MAX; remaining > 0; remaining--) {
    const head = await blocks.read(at, 46);
    if (head?.readUInt32LE(0) !== DIRECTORY_ENTRY) return null;
    const nameLength = head.readUInt16LE(28);
    const name = nameLength === CONTENT_TYPES_PART.length ? await blocks.read(at + 46, nameLength) : null;
    if (name?.toString('latin1') === CONTENT_TYPES_PART) {
      return { method: head.readUInt16LE(10), packedSize: head.readUInt32LE(20), offset: head.readUInt32LE(42) };
    }
    at += 46 + nameLength + head.readUInt16LE(30) + head.readUInt16LE(32);
  }
  return null;
}
