import type { ByteSource } from '../byte-source.ts';
import { type Box, boxesIn, itemExtents, metadataItems } from './heic-items.ts';
import { emptyTiff } from './picture-orientation.ts';
import { DamagedPictureError, type Piece, readExactly } from './picture-pieces.ts';

const BOXES_MAX = 10_000;
const META_MAX_BYTES = 4 * 1024 * 1024;
/** What a still picture is made of (ISO/IEC 23008-12). A film beside it has metadata of its own that is not looked into. */
const NEEDED = new Set(['ftyp', 'meta', 'mdat', 'free', 'skip']);
/** The four bytes in front that say where the metadata begins, and the smallest metadata. */
const SMALLEST_EXIF = 4 + 14;

/**
 * A HEIC without what it says about its maker and place: the items that hold Exif and XMP are overwritten where they lie,
 * because everything else is found by its distance from the start. The picture is untouched; its orientation is a property
 * of its own. Boxes that a still picture does not need are emptied.
 */
export async function cleanHeic(source: ByteSource): Promise<Piece[]> {
  const replaced: { start: number; bytes: Buffer }[] = [];
  let sawMeta = false;
  for (const box of await topBoxes(source)) {
    if (box.type === 'meta') {
      sawMeta = true;
      if (box.end - box.start > META_MAX_BYTES) throw new DamagedPictureError('its description is too large');
      const bytes = await readExactly(source, box.start, box.end - box.start);
      replaced.push(...overwriteItems(bytes, box.start, source.size));
    } else if (!NEEDED.has(box.type)) {
      if (box.type === 'moov') throw new DamagedPictureError('it is a film');
      replaced.push({ start: box.start + 4, bytes: Buffer.from('free') });
      replaced.push({ start: box.content, bytes: Buffer.alloc(checkedLength(box)) });
    }
  }
  if (!sawMeta) throw new DamagedPictureError('it has no description');
  return aroundReplaced(replaced, source.size);
}

async function topBoxes(source: ByteSource): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= source.size; ) {
    const head = await readExactly(source, at, Math.min(16, source.size - at));
    const [box] = boxesIn(head, 0, { base: at, until: source.size });
    if (box === undefined || boxes.length >= BOXES_MAX) throw new DamagedPictureError('its boxes do not fit');
    boxes.push(box);
    at = box.end;
  }
  return boxes;
}

/** A foreign box is held in memory to be emptied: it has to be small. */
function checkedLength({ content, end }: Box): number {
  if (end - content > META_MAX_BYTES) throw new DamagedPictureError('an unknown part is too large');
  return end - content;
}

function overwriteItems(meta: Buffer, base: number, size: number): { start: number; bytes: Buffer }[] {
  const items = metadataItems(meta);
  return itemExtents(meta, base)
    .filter(({ item }) => items.has(item))
    .map(({ item, start, length }) => {
      if (length < 0 || start < 0 || start + length > size || length > META_MAX_BYTES) {
        throw new DamagedPictureError('its metadata lies outside');
      }
      const bytes = Buffer.alloc(length);
      if (items.get(item) === 'Exif' && length >= SMALLEST_EXIF) emptyTiff(length - 4).copy(bytes, 4);
      return { start, bytes };
    });
}

function aroundReplaced(replaced: { start: number; bytes: Buffer }[], size: number): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, bytes } of replaced.toSorted((left, right) => left.start - right.start)) {
    if (bytes.length === 0) continue;
    if (start < at) throw new DamagedPictureError('its parts overlap');
    if (start > at) pieces.push({ start: at, end: start - 1 });
    pieces.push(bytes);
    at = start + bytes.length;
  }
  if (at < size) pieces.push({ start: at, end: size - 1 });
  return pieces;
}
