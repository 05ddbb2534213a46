import { Readable } from 'node:stream';
import { type ByteSource, readBytes } from '../byte-source.ts';

/** A part of a picture: a range of the original, both ends inclusive, or bytes that take the place of some. */
export type Piece = { start: number; end: number } | Buffer;

/** A picture that does not hold what its format demands: what it says about its maker cannot be found, nor removed. */
export class DamagedPictureError extends Error {
  constructor(why: string) {
    super(`The picture is damaged: ${why}.`);
    this.name = 'DamagedPictureError';
  }
}

/** What these pieces are together, in bytes. */
export function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + (Buffer.isBuffer(piece) ? piece.length : piece.end - piece.start + 1), 0);
}

/** The pieces one after the other. */
export function openPieces(source: ByteSource, pieces: readonly Piece[]): Readable {
  async function* read(): AsyncGenerator<Buffer> {
    for (const piece of pieces) {
      if (Buffer.isBuffer(piece)) yield piece;
      else yield* source.open(piece) as AsyncIterable<Buffer>;
    }
  }
  return Readable.from(read(), { objectMode: false });
}

/** Exactly `length` bytes. For small pieces: they are held in memory. */
export async function readExactly(source: ByteSource, start: number, length: number): Promise<Buffer> {
  const bytes = await readBytes(source, start, length);
  if (bytes.length !== length) throw new DamagedPictureError('it ends too early');
  return bytes;
}
