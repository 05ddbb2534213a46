import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type Duplex, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The size and hash of a file, by which a later reader can tell whether it is still the same. */
export interface HashedFile {
  /** In bytes. */
  size: number;
  sha256: string;
}

/** Writes a stream, optionally through others, to a new file that only its owner can read. Returns once the data is on disk. */
export async function writeHashedFile(path: string, source: Readable, ...through: Duplex[]): Promise<HashedFile> {
  const passing = hashing();
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline([source, ...through, passing.stream, file]);
  return passing.read();
}

/** Hashes the current content of a file. */
export async function hashFile(path: string): Promise<HashedFile> {
  const passing = hashing();
  passing.stream.resume();
  await pipeline(createReadStream(path), passing.stream);
  return passing.read();
}

function hashing() {
  const hash = createHash('sha256');
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, read: () => ({ size, sha256: hash.digest('hex') }) };
}
