import { crc32 } from 'node:zlib';

/** Small files that were made to cost a lot of memory or CPU time, and parts to build others. */

export function jpegSegment(marker: number, content: string): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, Buffer.from(content, 'latin1')]);
}

export function pngChunk(type: string, content: string | Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(content as string, 'latin1')]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

export function webpChunk(type: string, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string, 'latin1');
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(bytes.length, 4);
  return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)]);
}

export function webpOf(...chunks: Buffer[]): Buffer {
  const content = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

export function box(type: string, ...contents: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(contents.map((part) => Buffer.from(part as string, 'latin1')));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

interface HeicParts {
  /** The type of each item and its data; the first is the picture. An item can list its data several times, or itself twice. */
  items: { type: string; alsoAs?: string; data: string | Buffer; times?: number }[];
  /** Boxes inside `meta`, inside its properties, and at the end of the file. */
  inMeta?: Buffer[];
  properties?: Buffer[];
  behind?: Buffer[];
}

/** A HEIC with a valid structure that no decoder can read. */
export function heicOf({ items, inMeta = [], properties = [], behind = [] }: HeicParts): Buffer {
  const data = items.map((item) => Buffer.from(item.data as string, 'latin1'));
  const entry = (index: number, type: string) =>
    box('infe', Buffer.from([2, 0, 0, 0, 0, index + 1, 0, 0]), type, Buffer.from([0]));
  const kinds = items.flatMap(({ type, alsoAs }, index) => [type, alsoAs ?? []].flat().map((kind) => entry(index, kind)));
  const ftyp = box('ftyp', 'heic', Buffer.alloc(4), 'mif1heic');
  const metaOf = (dataStart: number) => {
    const places = items.map(({ times = 1 }, index) => {
      const start = dataStart + data.slice(0, index).reduce((sum, { length }) => sum + length, 0);
      const head = Buffer.from([0, index + 1, 0, 0, times >>> 8, times & 255]);
      const extent = Buffer.alloc(8);
      extent.writeUInt32BE(start);
      extent.writeUInt32BE(data[index]?.length ?? 0, 4);
      return Buffer.concat([head, ...Array.from({ length: times }, () => extent)]);
    });
    return box(
      'meta',
      Buffer.alloc(4),
      box('hdlr', Buffer.alloc(8), 'pict', Buffer.alloc(13)),
      box('pitm', Buffer.from([0, 0, 0, 0, 0, 1])),
      box('iinf', Buffer.from([0, 0, 0, 0, 0, kinds.length]), ...kinds),
      box('iprp', box('ipco', ...properties)),
      box('iloc', Buffer.from([0, 0, 0, 0, 0x44, 0, 0, items.length]), ...places),
      ...inMeta,
    );
  };
  const meta = metaOf(ftyp.length + metaOf(0).length + 8);
  return Buffer.concat([ftyp, meta, box('mdat', ...data), ...behind]);
}

/** A compound file whose directory is a circular chain of as many sectors as a reader follows, far apart from each other. */
export function compoundFileOfChains(sectors = 256): Buffer {
  const file = Buffer.alloc(512 * (sectors + 4), 0xff);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(file);
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(4, 48);
  // The header has no FAT sector, so each is looked up through a chain of DIFAT sectors that leads back to itself.
  file.writeUInt32LE(1, 68);
  for (let at = 76; at < 512; at += 4) file.writeUInt32LE(2, at);
  for (let at = 3 * 512; at < 4 * 512; at += 4) file.writeUInt32LE(4 + ((at / 4) % (sectors - 1)), at);
  return file;
}

/** Files that are cheap to send, by name, with their content type. Each is rejected or costs next to nothing. */
export function hostilePictures(): Record<string, [contentType: string, bytes: Buffer]> {
  const start = Buffer.from([0xff, 0xd8]);
  const header = pngChunk('IHDR', Buffer.from('00000001000000010806000000', 'hex'));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return {
    'a HEIC with one extent 300 times': [
      'image/heic',
      heicOf({
        items: [
          { type: 'hvc1', data: 'p' },
          { type: 'Exif', data: Buffer.alloc(4 * 1024 * 1024), times: 300 },
        ],
      }),
    ],
    'a HEIC of tiny boxes': ['image/heic', Buffer.concat(Array.from({ length: 50_000 }, () => box('free')))],
    'a WebP with large features': ['image/webp', webpOf(webpChunk('VP8X', Buffer.alloc(24 * 1024 * 1024)))],
    'a WebP of many features': ['image/webp', webpOf(...Array(50_000).fill(webpChunk('VP8X', Buffer.alloc(10))))],
    'a WebP of empty frames': ['image/webp', webpOf(...Array(50_000).fill(webpChunk('ANMF', Buffer.alloc(16))))],
    'a JPEG of fill bytes': ['image/jpeg', Buffer.concat([start, Buffer.alloc(1_000_000, 0xff)])],
    'a JPEG of stray bytes': ['image/jpeg', Buffer.concat([start, Buffer.alloc(1_000_000, 0x11)])],
    'a JPEG of empty comments': ['image/jpeg', Buffer.concat([start, ...Array(100_000).fill(jpegSegment(0xfe, ''))])],
    'a PNG of empty chunks': ['image/png', Buffer.concat([signature, header, ...Array(100_000).fill(pngChunk('IDAT', ''))])],
    'a PNG of empty metadata': ['image/png', Buffer.concat([signature, header, ...Array(100_000).fill(pngChunk('eXIf', ''))])],
    'a GIF of empty comments': [
      'image/gif',
      Buffer.concat([Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1'), Buffer.from('21fe00'.repeat(300_000), 'hex')]),
    ],
  };
}
