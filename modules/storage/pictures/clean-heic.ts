import { type Blank, blankContent, listBoxes, listPrivateData } from './heic-boxes.ts';
import { DamagedPictureError, type PictureReader, type PictureWriter } from './picture-bytes.ts';

/** The boxes of a still picture (ISO/IEC 23008-12). */
const NEEDED = new Set(['ftyp', 'meta', 'mdat']);
const BLANKS_MAX = 20_000;

/**
 * Writes a HEIC without its camera data and location (PICTURE-1). Positions in the file count from its start, so Exif, XMP, and
 * all other data that draws nothing is overwritten in place, and nothing moves. The orientation is a separate property and stays.
 * @throws {DamagedPictureError} for a movie, for parts that overlap or are outside the file, and for anything else that breaks
 * the format.
 */
export function cleanHeic(reader: PictureReader, writer: PictureWriter): void {
  const blanks = listBlanks(reader);
  for (const [index, { end }] of blanks.entries()) {
    if (end > (blanks[index + 1]?.start ?? reader.size)) throw new DamagedPictureError('its parts overlap');
  }
  let at = 0;
  for (const { start, end, head } of blanks) {
    writer.copy(reader, at, start);
    if (head !== undefined) writer.write(head);
    writer.zeros(end - start - (head?.length ?? 0));
    at = end;
  }
  writer.copy(reader, at, reader.size);
}

/** Lists everything that must be blanked, in file order. */
function listBlanks(reader: PictureReader): Blank[] {
  const blanks: Blank[] = [];
  let hasMeta = false;
  const add = (more: Iterable<Blank>) => {
    for (const blank of more) {
      if (blanks.push(blank) > BLANKS_MAX) throw new DamagedPictureError('it has too many parts');
    }
  };
  for (const box of listBoxes(reader, 0, reader.size)) {
    if (box.type === 'moov') throw new DamagedPictureError('it is a film');
    hasMeta ||= box.type === 'meta';
    if (box.type === 'meta') add(listPrivateData(reader, box));
    else if (!NEEDED.has(box.type)) add(blankContent(box));
  }
  if (!hasMeta) throw new DamagedPictureError('it has no description');
  return blanks.sort((left, right) => left.start - right.start);
}
