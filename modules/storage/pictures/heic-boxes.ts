import { DamagedPictureError, type PictureReader } from './picture-bytes.ts';
import { EMPTY_TIFF } from './picture-orientation.ts';

/** A box of the ISO base media file format; positions are from the start of the file, `end` is exclusive. */
export interface Box {
  type: string;
  start: number;
  content: number;
  end: number;
}

/** A range of the file that must be blanked. It is replaced by `head` and zeros. */
export interface Blank {
  start: number;
  end: number;
  head?: Buffer;
}

/** Exif items begin with four bytes for the position of the Exif data, which has to begin validly for readers. */
const EMPTY_EXIF = Buffer.concat([Buffer.alloc(4), EMPTY_TIFF]);
const FREE = Buffer.from('free');

/** A phone's picture of many tiles has a few hundred parts. */
const PARTS_MAX = 10_000;
/** Boxes that describe items; the others describe how to draw them (ISO/IEC 14496-12, 8.11; 23008-12). */
const NEEDED_IN_META = new Set(['hdlr', 'pitm', 'iinf', 'iref', 'iprp', 'iloc', 'idat', 'dinf', 'grpl', 'ipro']);
/** Items that are pictures or combine pictures. Exif, XMP (`mime`), and `uri ` can contain anything. */
const PICTURE_ITEMS = new Set(['hvc1', 'hev1', 'lhv1', 'av01', 'avc1', 'jpeg', 'grid', 'iden', 'iovl', 'tmap', 'unci', 'hvt1']);
/** Properties with text about the picture, or with the times of its creation and changes. */
const PRIVATE_PROPERTIES = new Set(['udes', 'altt', 'crtt', 'mdft', 'uuid', 'free', 'skip']);

/** Yields the boxes from `from` to `until` in order (14496-12, 4.2). */
export function* listBoxes(reader: PictureReader, from: number, until: number): Generator<Box> {
  let boxes = 0;
  for (let start = from; start + 8 <= until; ) {
    const short = reader.uint32(start);
    const content = start + (short === 1 ? 16 : 8);
    const length = short === 0 ? until - start : short === 1 ? reader.uint64(start + 8) : short;
    const end = start + length;
    if (end < content || end > until) throw new DamagedPictureError('a box does not fit');
    if (++boxes > PARTS_MAX) throw new DamagedPictureError('it has too many boxes');
    yield { type: reader.text(start + 4, 4), start, content, end };
    start = end;
  }
}

/** Yields the parts of a `meta` box, and of the items that it describes, that must be blanked. */
export function* listPrivateData(reader: PictureReader, meta: Box): Generator<Blank> {
  const items = new Map<number, string>();
  let data: Box | null = null;
  let locations: Box | null = null;
  for (const box of listBoxes(reader, meta.content + 4, meta.end)) {
    if (!NEEDED_IN_META.has(box.type)) yield* blankContent(box);
    if (box.type === 'iinf') readItems(reader, box, items);
    if (box.type === 'iprp') yield* listPrivateProperties(reader, box);
    if ((box.type === 'idat' && data !== null) || (box.type === 'iloc' && locations !== null)) {
      throw new DamagedPictureError('it locates its items twice');
    }
    if (box.type === 'idat') data = box;
    if (box.type === 'iloc') locations = box;
  }
  if (locations !== null) yield* listItemData(reader, { locations, data, items });
}

/** Turns a box into a free box, which readers skip. */
export function blankContent({ start, content, end }: Box): Blank[] {
  return [
    { start: start + 4, end: start + 8, head: FREE },
    { start: content, end },
  ];
}

/** Reads the type of each item by its id (8.11.6). An item that is listed twice keeps the type that is not a picture. */
function readItems(reader: PictureReader, list: Box, items: Map<number, string>): void {
  const from = list.content + (versionOf(reader, list) === 0 ? 6 : 8);
  for (const entry of listBoxes(reader, from, list.end)) {
    if (entry.type !== 'infe') continue;
    const version = versionOf(reader, entry);
    if (entry.content + 12 + (version > 2 ? 2 : 0) > entry.end) throw new DamagedPictureError('an item is cut');
    const at = entry.content + 4;
    const id = version > 2 ? reader.uint32(at) : reader.uint16(at);
    const type = version < 2 ? 'mime' : reader.text(at + (version > 2 ? 6 : 4), 4);
    if (!items.has(id) || !PICTURE_ITEMS.has(type)) items.set(id, type);
  }
}

function* listPrivateProperties(reader: PictureReader, properties: Box): Generator<Blank> {
  for (const list of listBoxes(reader, properties.content, properties.end)) {
    if (list.type !== 'ipco') continue;
    for (const property of listBoxes(reader, list.content, list.end)) {
      // The type stays because properties are counted; filled with zeros, each of them is valid and empty.
      if (PRIVATE_PROPERTIES.has(property.type)) yield { start: property.content, end: property.end };
    }
  }
}

interface Items {
  locations: Box;
  data: Box | null;
  items: ReadonlyMap<number, string>;
}

/** Yields the positions of the data of all items that are not pictures (8.11.3). */
function* listItemData(reader: PictureReader, { locations, data, items }: Items): Generator<Blank> {
  const fields = new Fields(reader, locations);
  const version = fields.next(4) >>> 24;
  const sizes = fields.next(2);
  const [offsetSize, lengthSize, baseSize] = [sizes >>> 12, (sizes >>> 8) & 15, (sizes >>> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  let parts = 0;
  for (let remaining = fields.next(version < 2 ? 2 : 4); remaining > 0; remaining--) {
    const id = fields.next(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : fields.next(2) & 15;
    fields.next(2);
    const base = fields.next(baseSize);
    const type = items.get(id);
    for (let extents = fields.next(2); extents > 0; extents--) {
      if (++parts > PARTS_MAX) throw new DamagedPictureError('it has too many parts');
      fields.next(indexSize);
      const offset = fields.next(offsetSize);
      const length = fields.next(lengthSize);
      if (type !== undefined && PICTURE_ITEMS.has(type)) continue;
      if (method > 1 || (method === 1 && data === null)) throw new DamagedPictureError('its metadata cannot be found');
      const start = base + offset + (method === 1 && data !== null ? data.content : 0);
      // A length of zero means the whole file.
      if (length === 0 || start + length > reader.size) throw new DamagedPictureError('its metadata is outside');
      const isExif = type === 'Exif' && length >= EMPTY_EXIF.length;
      yield { start, end: start + length, ...(isExif ? { head: EMPTY_EXIF } : {}) };
    }
  }
}

function versionOf(reader: PictureReader, { content, end }: Box): number {
  if (content + 4 > end) throw new DamagedPictureError('a box is cut');
  return reader.byte(content);
}

/** Reads consecutive unsigned numbers within a box. */
class Fields {
  readonly #reader: PictureReader;
  readonly #end: number;
  #at: number;

  constructor(reader: PictureReader, { content, end }: Box) {
    this.#reader = reader;
    this.#at = content;
    this.#end = end;
  }

  /** Reads a number of 0, 2, 4, or 8 bytes. */
  next(size: number): number {
    const at = this.#at;
    this.#at += size;
    if (this.#at > this.#end) throw new DamagedPictureError('a list is cut');
    if (size === 0) return 0;
    if (size === 2) return this.#reader.uint16(at);
    if (size === 4) return this.#reader.uint32(at);
    if (size === 8) return this.#reader.uint64(at);
    throw new DamagedPictureError('a number of an odd size');
  }
}
