import type { Readable } from 'node:stream';

/** Bytes that can be read more than once and at any position: a spooled file, or an object in the storage. */
export interface ByteSource {
  /** In bytes. */
  readonly size: number;
  /** Opens a new stream of all bytes or of `range`, whose ends are both inclusive. */
  open(range?: { start: number; end: number }): Readable;
}

/** Reads `length` bytes from `start`, or fewer at the end of the source. They are kept in memory, so `length` should be small. */
export async function readBytes(source: ByteSource, start: number, length: number): Promise<Buffer> {
  const end = Math.min(start + length, source.size) - 1;
  if (start < 0 || end < start) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for await (const chunk of source.open({ start, end })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
