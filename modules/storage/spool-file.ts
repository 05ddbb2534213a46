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

/** A complete file on its way to the storage. It is removed when disposed, and with the process in any case. */
export interface SpooledFile extends ByteSource, AsyncDisposable {
  /** The descriptor, which can be given to another process. */
  readonly fd: number;
  /** Frees the disk space. Open streams end with an error. It can be called twice. */
  dispose(): Promise<void>;
}

/**
 * Writes an incoming stream to a temporary file without a name, so that it can be checked before anything reaches the storage,
 * and is never in memory (FILE-5). When the stream fails or is interrupted, nothing is left behind. A stream that is too large is
 * read to its end and thrown away instead of destroyed, so that its sender can read the answer. Its owner limits how much that
 * can be.
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
    // A multipart parser silently ends a part at its own limit, and half a file must not count as a complete one.
    if ('truncated' in readable && readable.truncated === true) throw tooLarge(maxBytes);
    return asFile(handle, size, discard);
  } catch (error) {
    if (!readable.destroyed) readable.resume();
    await discard();
    throw error;
  }
}

/** An empty temporary file without a name that another process writes. */
export interface SpoolToFill {
  readonly fd: number;
  /** Returns the file after the other process has ended. */
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
 * Opens a file with mode 0600 and unlinks it at once, so that no one else can open it and a crash leaves nothing. Where an open
 * file cannot be unlinked (older Windows), it is unlinked after it was closed.
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

/** `createReadStream` would close the handle when it is destroyed, and a file is read several times. Both ends are inclusive. */
async function* readRange(handle: FileHandle, { start, end }: { start: number; end: number }): AsyncGenerator<Buffer> {
  for (let position = start; position <= end; ) {
    const length = Math.min(CHUNK_BYTES, end - position + 1);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function tooLarge(maxBytes: number): TooLargeError {
  return new TooLargeError(`A file can be up to ${sizeLimitWords(maxBytes)}.`, 'file_too_large');
}
