import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { TooLargeError } from '@case-platform/lib/errors';
import { sizeLimitWords } from '@case-platform/words/files';
import type { ByteSource } from './byte-source.ts';

const CHUNK_BYTES = 64 * 1024;

/** A file that has arrived whole but is nowhere yet. Gone when disposed, and with the process in any case. */
export interface SpooledFile extends ByteSource, AsyncDisposable {
  /** Its descriptor, which another process can be given. */
  readonly fd: number;
  /** Gives the disk space back. Streams still open end with an error. Twice is fine. */
  dispose(): Promise<void>;
}

/**
 * Writes an incoming stream to a temporary file without a name, so that it is checked before anything reaches the storage
 * and never sits in memory. When the stream fails or breaks off nothing stays behind. A stream that is too large is
 * read on and thrown away, not destroyed: who sends it can then read the answer. Its owner bounds how much that may be.
 * @throws {TooLargeError} above `maxBytes`.
 */
export async function spoolFile(readable: Readable, { maxBytes }: { maxBytes: number }): Promise<SpooledFile> {
  const { handle, discard } = await openAnonymous();
  try {
    let size = 0;
    for await (const chunk of readable.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      await handle.appendFile(chunk);
    }
    // A multipart parser ends the part quietly at its own limit; half a file must not pass for a whole one.
    if ('truncated' in readable && readable.truncated === true) throw tooLarge(maxBytes);
    return asFile(handle, size, discard);
  } catch (error) {
    if (!readable.destroyed) readable.resume();
    await discard();
    throw error;
  }
}

/** An empty temporary file without a name, for another process to write. */
export interface SpoolToFill {
  readonly fd: number;
  /** The file as the other process wrote it, once that has ended. */
  finish(): Promise<SpooledFile>;
  dispose(): Promise<void>;
}

export async function createSpoolFile(): Promise<SpoolToFill> {
  const { handle, discard } = await openAnonymous();
  const finish = async () => asFile(handle, (await handle.stat()).size, discard);
  return { fd: handle.fd, finish, dispose: discard };
}

function asFile(handle: FileHandle, size: number, discard: () => Promise<void>): SpooledFile {
  const open: SpooledFile['open'] = (range) => Readable.from(readRange(handle, { start: 0, end: size - 1, ...range }));
  return { fd: handle.fd, size, open, dispose: discard, [Symbol.asyncDispose]: discard };
}

/**
 * Mode 0600 and unlinked at once: nobody else opens it, and a crash leaves nothing. Where an open file cannot be unlinked
 * (older Windows) that happens after closing.
 */
async function openAnonymous(): Promise<{ handle: FileHandle; discard: () => Promise<void> }> {
  const path = join(tmpdir(), `spool-${randomUUID()}`);
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  const removed = await unlink(path).then(
    () => true,
    () => false,
  );
  let closing: Promise<void> | undefined;
  const discard = () => {
    closing ??= handle.close().then(() => (removed ? undefined : unlink(path)));
    return closing;
  };
  return { handle, discard };
}

/** Not `createReadStream`: destroying one closes the handle, and a file is read several times. Both ends inclusive. */
async function* readRange(handle: FileHandle, { start, end }: { start: number; end: number }): AsyncGenerator<Buffer> {
  for (let position = start; position <= end; ) {
    const wanted = Math.min(CHUNK_BYTES, end - position + 1);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function tooLarge(maxBytes: number): TooLargeError {
  return new TooLargeError(`A file can be up to ${sizeLimitWords(maxBytes)}.`, 'file_too_large');
}
