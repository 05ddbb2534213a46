import { DamagedPictureError } from './picture-pieces.ts';

/** A box of the ISO base media file format; positions are from the start of the file, `end` exclusive. */
export interface Box {
  type: string;
  start: number;
  content: number;
  end: number;
}

/** Where a piece of an item lies, from the start of the file. */
interface Extent {
  item: number;
  start: number;
  length: number;
}

const ITEMS_MAX = 10_000;

/**
 * The boxes from `offset` of `bytes` on (ISO/IEC 14496-12, 4.2). `base` is where `bytes` begins in the file, `until` where
 * the enclosing box ends; boxes may go on beyond `bytes`, whose end stops the search.
 */
export function boxesIn(bytes: Buffer, offset: number, { base, until }: { base: number; until: number }): Box[] {
  const boxes: Box[] = [];
  for (let at = offset; at + 8 <= bytes.length && base + at < until; ) {
    const short = bytes.readUInt32BE(at);
    const large = short === 1;
    if (large && at + 16 > bytes.length) throw new DamagedPictureError('a box is cut');
    const length = large ? Number(bytes.readBigUInt64BE(at + 8)) : short === 0 ? until - base - at : short;
    const start = base + at;
    const head = large ? 16 : 8;
    if (length < head || start + length > until) throw new DamagedPictureError('a box does not fit');
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), start, content: start + head, end: start + length });
    at += length;
  }
  return boxes;
}

/** The items of a `meta` box that hold Exif or XMP, by their ids (8.11.6). */
export function metadataItems(meta: Buffer): ReadonlyMap<number, 'Exif' | 'mime'> {
  const found = new Map<number, 'Exif' | 'mime'>();
  for (const list of childrenOf(meta).filter(({ type }) => type === 'iinf')) {
    const reader = new Reader(meta, list.content, list.end);
    const version = reader.readBytes(4) >>> 24;
    reader.readBytes(version === 0 ? 2 : 4);
    for (const entry of boxesIn(meta.subarray(0, list.end), reader.at, { base: 0, until: list.end })) {
      const fields = new Reader(meta, entry.content, entry.end);
      const entryVersion = fields.readBytes(4) >>> 24;
      if (entry.type !== 'infe' || entryVersion < 2) continue;
      const item = fields.readBytes(entryVersion === 2 ? 2 : 4);
      fields.readBytes(2);
      const type = fields.text(4);
      // Any text beside a picture may say where it was taken, hence not XMP alone.
      if (type === 'Exif' || type === 'mime') found.set(item, type);
    }
  }
  return found;
}

/** Where all items lie (8.11.3). `base` is where the `meta` box begins in the file. */
export function itemExtents(meta: Buffer, base: number): Extent[] {
  const children = childrenOf(meta);
  const data = children.find(({ type }) => type === 'idat');
  return children
    .filter(({ type }) => type === 'iloc')
    .flatMap((box) => readLocations(new Reader(meta, box.content, box.end), data && base + data.content));
}

function readLocations(reader: Reader, dataStart: number | undefined): Extent[] {
  const version = reader.readBytes(4) >>> 24;
  const sizes = reader.readBytes(2);
  const [offsetSize, lengthSize, baseSize] = [sizes >>> 12, (sizes >>> 8) & 15, (sizes >>> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  const count = reader.readBytes(version < 2 ? 2 : 4);
  const extents: Extent[] = [];
  for (let at = 0; at < count; at++) {
    const item = reader.readBytes(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : reader.readBytes(2) & 15;
    reader.readBytes(2);
    const origin = method === 0 ? 0 : method === 1 ? dataStart : undefined;
    const itemBase = reader.readBytes(baseSize);
    for (let left = reader.readBytes(2); left > 0; left--) {
      reader.readBytes(indexSize);
      const offset = reader.readBytes(offsetSize);
      const length = reader.readBytes(lengthSize);
      if (extents.length >= ITEMS_MAX) throw new DamagedPictureError('too many parts');
      extents.push({ item, start: origin === undefined ? -1 : origin + itemBase + offset, length });
    }
  }
  return extents;
}

function childrenOf(meta: Buffer): Box[] {
  const head = meta.readUInt32BE(0) === 1 ? 16 : 8;
  return boxesIn(meta, head + 4, { base: 0, until: meta.length });
}

/** Reads numbers one after the other, within a box. */
class Reader {
  at: number;
  readonly #bytes: Buffer;
  readonly #end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.at = start;
    this.#end = end;
  }

  /** An unsigned number of 0, 2, 4 or 8 bytes. */
  readBytes(size: number): number {
    const at = this.#skip(size);
    if (size === 0) return 0;
    if (size === 2) return this.#bytes.readUInt16BE(at);
    if (size === 4) return this.#bytes.readUInt32BE(at);
    if (size === 8) return Number(this.#bytes.readBigUInt64BE(at));
    throw new DamagedPictureError('a number of an odd size');
  }

  text(length: number): string {
    const at = this.#skip(length);
    return this.#bytes.toString('latin1', at, at + length);
  }

  #skip(length: number): number {
    const at = this.at;
    if (at + length > this.#end) throw new DamagedPictureError('a list is cut');
    this.at += length;
    return at;
  }
}
