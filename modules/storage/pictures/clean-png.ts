import { crc32 } from 'node:zlib';
import type { ByteSource } from '../byte-source.ts';
import { orientationOnly, readOrientation } from './picture-orientation.ts';
import { DamagedPictureError, type Piece, readExactly } from './picture-pieces.ts';

const SIGNATURE = '89504e470d0a1a0a';
/** Texts, times and metadata; everything else says how to draw the picture. */
const ABOUT_THE_MAKER = new Set(['eXIf', 'zxIf', 'tEXt', 'zTXt', 'iTXt', 'tIME', 'caBX']);
const CHUNKS_MAX = 200_000;
const METADATA_MAX_BYTES = 1024 * 1024;

/**
 * A PNG without what it says about its maker and place (PNG 3rd edition, 11.3), and without what follows its end. The
 * picture is untouched; of its metadata only the orientation stays.
 */
export async function cleanPng(source: ByteSource): Promise<Piece[]> {
  if ((await readExactly(source, 0, 8)).toString('hex') !== SIGNATURE) throw new DamagedPictureError('no signature');
  const kept: Piece[] = [{ start: 0, end: 7 }];
  let at = 8;
  for (let count = 0; count < CHUNKS_MAX; count++) {
    const head = await readExactly(source, at, 8);
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4);
    const end = at + 12 + length;
    if (end > source.size) throw new DamagedPictureError('it ends too early');
    if (!ABOUT_THE_MAKER.has(type)) kept.push({ start: at, end: end - 1 });
    else if (type === 'eXIf' && length <= METADATA_MAX_BYTES) {
      const exif = orientationOnly(readOrientation(await readExactly(source, at + 8, length)));
      if (exif !== null) kept.push(chunk('eXIf', exif));
    }
    if (type === 'IEND') return joined(kept);
    at = end;
  }
  throw new DamagedPictureError('too many chunks');
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** One range where several follow each other: a large picture has thousands of chunks. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    const follows =
      last !== undefined && !Buffer.isBuffer(last) && !Buffer.isBuffer(piece) && last.end + 1 === piece.start;
    if (follows) result[result.length - 1] = { start: last.start, end: piece.end };
    else result.push(piece);
  }
  return result;
}
