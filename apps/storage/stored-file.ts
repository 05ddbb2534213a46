import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Everything about an object except its bytes. */
export interface ObjectHead {
  key: string;
  /** In bytes. */
  size: number;
  /** Includes its quotes. */
  etag: string;
  /** ISO 8601, UTC. */
  lastModified: string;
  contentType: string;
}

/*
 * An object is one file: its bytes, then its head as JSON, then four bytes with the length of the head and a mark of four
 * bytes. A single rename therefore replaces bytes and head together, and a reader that has the file open keeps both.
 */
const MARK = Buffer.from('OBJ1');
const FOOTER_BYTES = 8;

/** Writes `bytes` and their head to a new file at `path`. It is removed when `bytes` fails, such as with a broken connection. */
export async function writeDraft(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  { key, contentType }: Pick<ObjectHead, 'key' | 'contentType'>,
): Promise<ObjectHead> {
  const handle = await open(path, 'wx', 0o600);
  try {
    const md5 = createHash('md5');
    let size = 0;
    for await (const piece of bytes) {
      md5.update(piece);
      size += piece.length;
      await handle.appendFile(piece);
    }
    const etag = `"${md5.digest('hex')}"`;
    const head = { key, size, etag, lastModified: new Date().toISOString(), contentType };
    const json = Buffer.from(JSON.stringify(head));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(json.length);
    await handle.appendFile(Buffer.concat([json, length, MARK]));
    await handle.close();
    return head;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(path, { force: true });
    throw error;
  }
}

/** An object that is open for reading. It does not change even if it is replaced meanwhile. */
export interface OpenObject {
  head: ObjectHead;
  /** Streams the bytes from `start` to `end`, both inclusive, and closes the file at the end or when destroyed. */
  read(start: number, end: number): Readable;
  close(): Promise<void>;
}

/** Opens a stored file, or returns null if it does not exist. */
export async function openStored(path: string): Promise<OpenObject | null> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const head = await readHead(handle);
    return {
      head,
      read: (start, end) => handle.createReadStream({ start, end, highWaterMark: 256 * 1024 }),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads the head of a stored file, or returns null if it does not exist. */
export async function readStoredHead(path: string): Promise<ObjectHead | null> {
  const object = await openStored(path);
  await object?.close();
  return object?.head ?? null;
}

async function readHead(handle: FileHandle): Promise<ObjectHead> {
  const { size } = await handle.stat();
  const footer = Buffer.alloc(FOOTER_BYTES);
  if (size >= FOOTER_BYTES) await handle.read(footer, 0, FOOTER_BYTES, size - FOOTER_BYTES);
  const length = footer.readUInt32BE(0);
  if (!footer.subarray(4).equals(MARK) || length > size - FOOTER_BYTES) throw new Error('A stored file is damaged.');
  const json = Buffer.alloc(length);
  await handle.read(json, 0, length, size - FOOTER_BYTES - length);
  return JSON.parse(json.toString('utf8')) as ObjectHead;
}
