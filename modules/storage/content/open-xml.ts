import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { type ByteSource, readBytes } from '../byte-source.ts';

const inflate = promisify(inflateRaw);

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
/** The end record is 22 bytes and a comment of at most 65,535 (APPNOTE 4.3.16). */
const END_AT_MOST = 22 + 65_535;
const DIRECTORY_AT_MOST = 4 * 1024 * 1024;
const CONTENT_TYPES_AT_MOST = 1024 * 1024;
const CONTENT_TYPES_PART = '[Content_Types].xml';

/**
 * The content types that an Office Open XML package declares for its parts (ECMA-376 part 2, 10.1.2), empty where the
 * bytes are no such package. Read through the zip's central directory, so the order of the parts does not matter and
 * nothing but this one part is unpacked, up to 1 MiB.
 */
export async function readContentTypes(source: ByteSource): Promise<string[]> {
  const part = await readPart(source, CONTENT_TYPES_PART);
  if (part === null) return [];
  return [...part.toString('utf8').matchAll(/\bContentType\s*=\s*["']([^"']{1,200})["']/g)].map(
    (match) => match[1] ?? '',
  );
}

interface Entry {
  method: number;
  packedSize: number;
  offset: number;
}

async function readPart(source: ByteSource, name: string): Promise<Buffer | null> {
  const entry = await findEntry(source, name);
  if (entry === null || entry.packedSize > CONTENT_TYPES_AT_MOST) return null;
  const local = await readBytes(source, entry.offset, 30);
  if (local.length < 30 || local.readUInt32LE(0) !== LOCAL_ENTRY) return null;
  const start = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  const packed = await readBytes(source, start, entry.packedSize);
  if (packed.length < entry.packedSize) return null;
  if (entry.method === 0) return packed;
  if (entry.method !== 8) return null;
  return inflate(packed, { maxOutputLength: CONTENT_TYPES_AT_MOST }).catch(() => null);
}

async function findEntry(source: ByteSource, name: string): Promise<Entry | null> {
  const directory = await readDirectory(source);
  let at = 0;
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === DIRECTORY_ENTRY) {
    const nameLength = directory.readUInt16LE(at + 28);
    if (directory.toString('utf8', at + 46, at + 46 + nameLength) === name) {
      return {
        method: directory.readUInt16LE(at + 10),
        packedSize: directory.readUInt32LE(at + 20),
        offset: directory.readUInt32LE(at + 42),
      };
    }
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return null;
}

async function readDirectory(source: ByteSource): Promise<Buffer> {
  const tail = await readBytes(source, Math.max(0, source.size - END_AT_MOST), END_AT_MOST);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_OF_DIRECTORY) continue;
    const size = tail.readUInt32LE(at + 12);
    const offset = tail.readUInt32LE(at + 16);
    return size > DIRECTORY_AT_MOST ? Buffer.alloc(0) : readBytes(source, offset, size);
  }
  return Buffer.alloc(0);
}
