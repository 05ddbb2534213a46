import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type Duplex, type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A file as a list of files names it: whoever reads it again can tell whether it is still the same. */
export interface HashedFile {
  /** In bytes. */
  size: number;
  sha256: string;
}

/** Writes a stream, perhaps changed by others, to a new file for its owner alone; returns once the disk has it. */
export async function writeHashedFile(path: string, source: Readable, ...through: Duplex[]): Promise<HashedFile> {
  const passing = hashing();
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline([source, ...through, passing.stream, file]);
  return passing.read();
}

/** What a file's content is now. */
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
