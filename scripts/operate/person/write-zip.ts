import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';

const LARGEST = 0xffff_ffff;
/** Names are UTF-8 (APPNOTE.TXT, 4.4.4, bit 11). */
const UTF8_NAMES = 0x0800;
const VERSION = 20;
/** January 1, 1980. The date does not matter, and a fixed one makes two exports of the same data equal. */
const DAY = 0x0021;

interface Entry {
  name: Buffer;
  crc: number;
  size: number;
  at: number;
}

/** Writes a ZIP archive (PKWARE's APPNOTE.TXT) of uncompressed files, directly to the disk. */
export async function writeZip(
  path: string,
  files: AsyncIterable<{ name: string; content: Readable }>,
): Promise<{ count: number }> {
  const file = await open(path, 'wx', 0o600);
  try {
    const entries: Entry[] = [];
    let at = 0;
    for await (const { name, content } of files) {
      const entry = await writeEntry(file, Buffer.from(name), content, at);
      entries.push(entry);
      at += headerOf(entry).length + entry.size;
    }
    const directory = Buffer.concat(entries.map(directoryEntry));
    await file.write(Buffer.concat([directory, endOf(entries.length, directory.length, at)]), 0, null, at);
    await file.sync();
    return { count: entries.length };
  } finally {
    await file.close();
  }
}

/** The header precedes the content, but its values are known only afterwards. */
async function writeEntry(file: FileHandle, name: Buffer, content: Readable, at: number): Promise<Entry> {
  const entry = { name, crc: 0, size: 0, at };
  const begin = at + headerOf(entry).length;
  for await (const chunk of content) {
    const bytes = Buffer.from(chunk);
    await file.write(bytes, 0, bytes.length, begin + entry.size);
    entry.crc = crc32(bytes, entry.crc);
    entry.size += bytes.length;
    if (begin + entry.size > LARGEST) throw new Error('More than 4 GB do not fit into one archive.');
  }
  const header = headerOf(entry);
  await file.write(header, 0, header.length, at);
  return entry;
}

function headerOf(entry: Entry): Buffer {
  const start = Buffer.alloc(6);
  start.writeUInt32LE(0x0403_4b50, 0);
  start.writeUInt16LE(VERSION, 4);
  return Buffer.concat([start, common(entry), entry.name]);
}

function directoryEntry(entry: Entry): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt32LE(0x0201_4b50, 0);
  start.writeUInt16LE(VERSION, 4);
  start.writeUInt16LE(VERSION, 6);
  const end = Buffer.alloc(14);
  end.writeUInt32LE(entry.at, 10);
  return Buffer.concat([start, common(entry), end, entry.name]);
}

function common({ name, crc, size }: Entry): Buffer {
  const fields = Buffer.alloc(24);
  fields.writeUInt16LE(UTF8_NAMES, 0);
  fields.writeUInt16LE(DAY, 6);
  fields.writeUInt32LE(crc, 8);
  fields.writeUInt32LE(size, 12);
  fields.writeUInt32LE(size, 16);
  fields.writeUInt16LE(name.length, 20);
  return fields;
}

function endOf(count: number, size: number, at: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  return end;
}
