import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { SAMPLES } from '../../../test/support/file-samples.ts';
import { fuzzing } from '../../../test/support/hostile/fuzzing.ts';
import {
  box,
  heicOf,
  hostilePictures,
  jpegSegment,
  pngChunk,
  webpChunk,
  webpOf,
} from '../../../test/support/hostile/hostile-files.ts';
import { ATTACHMENT_TYPES, isPicture } from '../content/attachment-types.ts';
import { spoolFile } from '../spool-file.ts';
import { cleanPictures, PICTURE_TYPES, UnusablePictureError, withoutMetadata } from './clean-pictures.ts';
import { cleanBytes } from './cleaners.ts';
import { DamagedPictureError } from './picture-bytes.ts';

const SECRET = 'Sesame Street 123';
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>${SECRET}</rdf:Description></rdf:RDF></x:xmpmeta>`;
const EXIF = {
  IFD0: { Make: SECRET },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1', GPSLongitudeRef: 'E', GPSLongitude: '13/1 24/1 18/1' },
};
const MIB = 1024 * 1024;
/** A cleaner reads a picture at most this many times, plus a window of it for each number that it looks up elsewhere. */
const READS_MAX = 4;
const WINDOW_BYTES = 64 * 1024;
/** CPU time on a busy machine: a hundred times the usual amount. */
const MS_PER_MIB = 2000;

/** Cleans in this process, and checks the limits that hold for every picture, damaged or not. */
function cleaned(bytes: Buffer, contentType: string): Buffer {
  let read = 0;
  let largest = 0;
  let result = Buffer.alloc(0);
  const chunks: [at: number, chunk: Buffer][] = [];
  const began = process.cpuUsage();
  try {
    cleanBytes(
      contentType,
      {
        size: bytes.length,
        read(target, position) {
          const length = bytes.copy(target, 0, position);
          read += length;
          largest = Math.max(largest, target.length);
          return length;
        },
      },
      { write: (chunk, position) => void chunks.push([position, Buffer.from(chunk)]) },
    );
  } finally {
    const size = Math.max(0, ...chunks.map(([at, chunk]) => at + chunk.length));
    result = Buffer.alloc(size);
    for (const [at, chunk] of chunks) chunk.copy(result, at);
    assert.ok(size <= bytes.length + 64, `${size} bytes were made of ${bytes.length}`);
    assert.ok(largest <= WINDOW_BYTES, 'only a window is in memory');
    assert.ok(read <= READS_MAX * (bytes.length + WINDOW_BYTES), `${read} bytes were read of ${bytes.length}`);
    const { user, system } = process.cpuUsage(began);
    const ms = (user + system) / 1000;
    assert.ok(ms < MS_PER_MIB * Math.max(1, bytes.length / MIB), `${ms} ms for ${bytes.length} bytes`);
  }
  return result;
}

const pixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer();

/** Noise makes long scans, and a picture that is wider than high shows its orientation. */
function picture(): Sharp {
  const raw = Buffer.from(Array.from({ length: 60 * 40 * 3 }, (_, index) => (index * 7919) % 251));
  return sharp(raw, { raw: { width: 60, height: 40, channels: 3 } });
}
const located = (orientation: number) =>
  picture().withExif(EXIF).withXmp(XMP).withIccProfile('srgb').withMetadata({ orientation });

const kinds: [kind: string, make: (from: Sharp) => Sharp, contentType: string][] = [
  ['a JPEG', (from) => from.jpeg({ quality: 95 }), 'image/jpeg'],
  ['a progressive JPEG', (from) => from.jpeg({ progressive: true }), 'image/jpeg'],
  ['a PNG', (from) => from.png(), 'image/png'],
  ['a WebP', (from) => from.webp(), 'image/webp'],
  ['a lossless WebP', (from) => from.webp({ lossless: true }), 'image/webp'],
  ['a GIF', (from) => from.gif(), 'image/gif'],
];

test('[PICTURE-1, FILE-2] every kind of picture that can be attached is one that loses its metadata', () => {
  const attached = ATTACHMENT_TYPES.filter(isPicture).map(({ contentType }) => contentType);
  assert.deepEqual([...PICTURE_TYPES].sort(), attached.sort());
});

describe('pictures lose their camera data and location', () => {
  for (const [kind, make, contentType] of kinds) {
    const name = contentType === 'image/gif' ? null : kind;
    if (name !== null) {
      test(`[PICTURE-1] ${name} loses its location and keeps its pixels, colors, and orientation`, async () => {
        const original = await make(located(6)).toBuffer();
        assert.ok(original.includes(SECRET), 'the sample has metadata');
        const clean = cleaned(original, contentType);
        assert.ok(!clean.includes(SECRET) && !clean.includes('GPS') && !clean.includes('xmpmeta'));
        assert.ok((await pixels(original)).equals(await pixels(clean)));
        const { orientation, icc, xmp } = await sharp(clean).metadata();
        assert.deepEqual([orientation, icc !== undefined, xmp], [6, true, undefined]);
        assert.ok(cleaned(clean, contentType).equals(clean), 'cleaning again changes nothing');
      });
    }

    test(`${kind} without metadata is not changed`, async () => {
      const original = await make(picture()).toBuffer();
      assert.ok(cleaned(original, contentType).equals(original));
    });

    test(`bytes after the end of ${kind} are cut off`, async () => {
      const original = await make(picture()).toBuffer();
      assert.ok(cleaned(Buffer.concat([original, Buffer.from(SECRET)]), contentType).equals(original));
    });

    test(`any damage to ${kind} is rejected or cleaned within the limits of memory and time`, async () => {
      const original = await make(located(3)).toBuffer();
      const place = fc.tuple(fc.nat(original.length - 1), fc.nat(255));
      fc.assert(
        fc.property(fc.array(place, { maxLength: 6 }), fc.nat(original.length), (places, length) => {
          const damaged = Buffer.from(original.subarray(0, length));
          for (const [at, value] of places) damaged[at] = value;
          cleanedOrDamaged(damaged, contentType);
        }),
        fuzzing(150),
      );
    });
  }

  test('any bytes after any beginning are rejected or cleaned within the limits of memory and time', () => {
    const beginnings: [string, Buffer][] = [
      ['image/jpeg', Buffer.from([0xff, 0xd8])],
      ['image/png', Buffer.concat([SAMPLES.png.subarray(0, 33)])],
      ['image/webp', webpOf(webpChunk('VP8X', Buffer.alloc(10)))],
      ['image/gif', SAMPLES.gif.subarray(0, 13)],
      ['image/heic', heicOf({ items: [{ type: 'hvc1', data: 'pixels' }] })],
    ];
    const word = fc.constantFrom(
      'IDAT',
      'eXIf',
      'EXIF',
      'ANMF',
      'VP8 ',
      'meta',
      'iloc',
      'iinf',
      'infe',
      'ipco',
      'iprp',
      'free',
      'mdat',
      '\xff\xe1',
      '\xff\xda',
      '\xff\xff',
      '\0\0\0\x08',
      '\0\0\0\x01',
      '\xff\xff\xff\xff',
      '!\xff',
      ',',
      'Exif\0\0II*\0',
    );
    const bytes = fc.array(fc.oneof(word, fc.string({ unit: 'binary-ascii', maxLength: 12 })), { maxLength: 80 });
    fc.assert(
      fc.property(fc.constantFrom(...beginnings), bytes, fc.nat(600), ([contentType, beginning], more, at) => {
        const behind = Buffer.from(more.join(''), 'latin1');
        const cut = Math.min(at, beginning.length);
        const isInside = contentType === 'image/heic';
        const parts = isInside ? [beginning.subarray(0, cut), behind, beginning.subarray(cut)] : [beginning, behind];
        cleanedOrDamaged(Buffer.concat(parts), contentType);
      }),
      fuzzing(600),
    );
  });

  for (const [what, [contentType, bytes]] of Object.entries(hostilePictures())) {
    test(`[PICTURE-2] ${what} is within the limits of memory and time`, () => void cleanedOrDamaged(bytes, contentType));
  }

  test('a file that only begins like a picture is rejected', () => {
    for (const [sample, contentType] of [
      [SAMPLES.jpg, 'image/jpeg'],
      [SAMPLES.heic, 'image/heic'],
      [SAMPLES.webp.subarray(0, 20), 'image/webp'],
      [SAMPLES.png.subarray(0, 30), 'image/png'],
      [SAMPLES.gif.subarray(0, 15), 'image/gif'],
    ] as const) {
      assert.throws(() => cleaned(sample, contentType), DamagedPictureError, contentType);
    }
  });
});

function cleanedOrDamaged(bytes: Buffer, contentType: string): Buffer | null {
  try {
    return cleaned(bytes, contentType);
  } catch (error) {
    if (!(error instanceof DamagedPictureError)) throw error;
    return null;
  }
}

/** Exif data with the orientation 3 and a secret. */
const TIFF = Buffer.concat([Buffer.from('49492a0008000000010012010300010000000300000000000000', 'hex'), Buffer.from(SECRET)]);
const exifOf = (prefix = '') => Buffer.concat([Buffer.from(prefix, 'latin1'), TIFF]).toString('latin1');

describe('every place of a format that can contain metadata is emptied', () => {
  const jpeg: [what: string, segment: Buffer][] = [
    ['a comment', jpegSegment(0xfe, SECRET)],
    ['Exif (APP1)', jpegSegment(0xe1, `Exif\0\0MM\0*\0\0\0\x08\0\0${SECRET}`)],
    ['XMP (APP1)', jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET}`)],
    ['more XMP (APP1)', jpegSegment(0xe1, `http://ns.adobe.com/xmp/extension/\0${SECRET}`)],
    ['further pictures (APP2)', jpegSegment(0xe2, `MPF\0${SECRET}`)],
    ['IPTC (APP13)', jpegSegment(0xed, `Photoshop 3.0\x008BIM\x04\x04\0\0${SECRET}`)],
    ['a JFIF thumbnail (APP0)', jpegSegment(0xe0, `JFXX\0\x10${SECRET}`)],
    ['words named like Adobe’s colors (APP14)', jpegSegment(0xee, `Adobe ${SECRET}`)],
    ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15].map((index): [string, Buffer] => [`APP${index}`, jpegSegment(0xe0 + index, SECRET)]),
    ...[0xc8, 0xde, 0xdf, 0xf0, 0xf7, 0xfd].map((marker): [string, Buffer] => [
      `the reserved marker ${marker.toString(16)}`,
      jpegSegment(marker, SECRET),
    ]),
    ['stray bytes', Buffer.from(SECRET)],
    ['fill bytes', Buffer.alloc(9, 0xff)],
  ];
  const png = ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME', 'zxIf', 'caBX', 'dSIG', 'sPLT', 'iDOT', 'prVt', 'meTa', 'XXXX'];
  const webp = ['EXIF', 'XMP ', 'META', 'text', 'ANIX', 'junk'];
  const gif: [what: string, block: string][] = [
    ['a comment', `!\xfe${String.fromCharCode(SECRET.length)}${SECRET}\0`],
    ['XMP', `!\xff\x0bXMP DataXMP${String.fromCharCode(SECRET.length)}${SECRET}\0`],
    ['a plain text', `!\x01\x0c${'\0'.repeat(12)}${String.fromCharCode(SECRET.length)}${SECRET}\0`],
    ['an unknown extension', `!\x77${String.fromCharCode(SECRET.length)}${SECRET}\0`],
    ['words named like the looping of an animation', `!\xff\x0bNETSCAPE2.0${String.fromCharCode(SECRET.length)}${SECRET}\0`],
  ];

  for (const [what, segment] of jpeg) {
    test(`[PICTURE-1] a JPEG loses ${what}, in any place`, async () => {
      const original = await picture().jpeg({ progressive: true }).toBuffer();
      const scan = original.indexOf(Buffer.from([0xff, 0xda]), original.indexOf(Buffer.from([0xff, 0xda])) + 2);
      for (const at of [2, original.indexOf(Buffer.from([0xff, 0xdb])), scan, original.length - 2]) {
        const noisy = Buffer.concat([original.subarray(0, at), segment, original.subarray(at)]);
        const clean = cleaned(noisy, 'image/jpeg');
        // After image data, bytes that do not form a segment belong to that data.
        const isSegment = segment[0] === 0xff && segment[1] !== 0xff;
        if (isSegment || at < scan) assert.ok(clean.equals(original), `at ${at}`);
      }
    });
  }

  for (const type of png) {
    test(`[PICTURE-1] a PNG loses ${type}, in any place`, async () => {
      const original = await picture().png().toBuffer();
      for (const at of [33, original.length - 12]) {
        const noisy = Buffer.concat([original.subarray(0, at), pngChunk(type, SECRET), original.subarray(at)]);
        assert.ok(cleaned(noisy, 'image/png').equals(original), `at ${at}`);
      }
    });
  }

  for (const type of webp) {
    test(`[PICTURE-1] a WebP loses ${type.trim()}, in any place, frames included`, async () => {
      const original = await picture().webp().toBuffer();
      const chunk = webpChunk(type, SECRET);
      const image = original.subarray(12);
      const features = webpChunk('VP8X', Buffer.from('0c0000003b0000270000', 'hex'));
      const bare = webpChunk('VP8X', Buffer.from('000000003b0000270000', 'hex'));
      assert.ok(cleaned(webpOf(features, chunk, image, chunk), 'image/webp').equals(webpOf(bare, image)));
      const frame = (...chunks: Buffer[]) => webpChunk('ANMF', Buffer.concat([Buffer.alloc(16), ...chunks]));
      const animated = webpOf(features, frame(image, chunk), frame(chunk, image));
      assert.ok(cleaned(animated, 'image/webp').equals(webpOf(bare, frame(image), frame(image))));
    });
  }

  for (const [what, block] of gif) {
    test(`[PICTURE-1] a GIF loses ${what}, in any place`, async () => {
      const original = await picture().gif().toBuffer();
      const first = 13 + 3 * 2 ** (((original[10] as number) & 7) + 1);
      for (const at of [first, original.length - 1]) {
        const noisy = Buffer.concat([original.subarray(0, at), Buffer.from(block, 'latin1'), original.subarray(at)]);
        assert.ok(cleaned(noisy, 'image/gif').equals(original), `at ${at}`);
      }
    });
  }

  const pixelItem = { type: 'hvc1', data: 'the pixels' };
  const heic = [
    ['Exif', 'mime', 'uri ', 'XXXX'].map((type): [string, Buffer, null] => [
      `an item ${type.trim()}`,
      heicOf({ items: [pixelItem, { type, data: exifOf('\0\0\0\0') }] }),
      null,
    ]),
    ['Exif hvc1', 'hvc1 Exif'].map((types): [string, Buffer, null] => {
      const [type = '', alsoAs = ''] = types.split(' ');
      return [
        `an item that is listed as ${types}`,
        heicOf({ items: [pixelItem, { type, alsoAs, data: exifOf('\0\0\0\0') }] }),
        null,
      ];
    }),
    ['udes', 'altt', 'crtt', 'mdft', 'uuid', 'free', 'skip'].map((type): [string, Buffer, null] => [
      `the property ${type}`,
      heicOf({ items: [pixelItem], properties: [box('ispe', 'size'), box(type, SECRET)] }),
      null,
    ]),
    ['udta', 'uuid', 'xml ', 'bxml', 'free', 'skip'].map((type): [string, Buffer, null] => [
      `${type.trim()} in its description`,
      heicOf({ items: [pixelItem], inMeta: [box(type, SECRET)] }),
      null,
    ]),
    ['uuid', 'free', 'skip', 'udta', 'mpvd', 'sefd'].map((type): [string, Buffer, null] => [
      `${type} beside its description`,
      heicOf({ items: [pixelItem], behind: [box(type, SECRET)] }),
      null,
    ]),
  ].flat();
  for (const [what, original] of heic) {
    test(`[PICTURE-1] a HEIC loses ${what}, and nothing else moves`, () => {
      assert.ok(original.includes(SECRET));
      const clean = cleaned(original, 'image/heic');
      assert.ok(!clean.includes(SECRET));
      assert.equal(clean.length, original.length);
      assert.equal(clean.indexOf('the pixels'), original.indexOf('the pixels'));
      assert.ok(cleaned(clean, 'image/heic').equals(clean), 'cleaning again changes nothing');
    });
  }

  test('a HEIC keeps its pixels (tested with AVIF, which has the same structure)', async () => {
    const original = await located(1).avif().toBuffer();
    assert.ok(original.includes(SECRET));
    const clean = cleaned(original, 'image/heic');
    assert.equal(clean.length, original.length);
    assert.ok(!clean.includes(SECRET) && !clean.includes('GPS'));
    assert.ok((await pixels(original)).equals(await pixels(clean)));
    const damage = fc.tuple(fc.nat(600), fc.nat(255));
    fc.assert(
      fc.property(damage, ([at, value]) => {
        const damaged = Buffer.from(original);
        damaged[at] = value;
        cleanedOrDamaged(damaged, 'image/heic');
      }),
      fuzzing(300),
    );
  });

  test('only the orientation of the first Exif data is kept', async () => {
    const jpegPicture = await picture().jpeg().toBuffer();
    const turned = Buffer.concat([
      jpegPicture.subarray(0, 2),
      jpegSegment(0xe1, exifOf('Exif\0\0')),
      jpegSegment(0xe1, exifOf('Exif\0\0')),
      jpegPicture.subarray(2),
    ]);
    const pngPicture = await picture().png().toBuffer();
    const chunks = [pngPicture.subarray(0, 33), pngChunk('eXIf', TIFF), pngChunk('eXIf', TIFF), pngPicture.subarray(33)];
    const webpPicture = await located(1).webp().toBuffer();
    const features = webpChunk('VP8X', webpPicture.subarray(20, 30));
    const image = webpPicture.subarray(webpPicture.indexOf('VP8 '));
    for (const [contentType, bytes] of [
      ['image/jpeg', turned],
      ['image/png', Buffer.concat(chunks)],
      ['image/webp', webpOf(features, image.subarray(0, 8 + image.readUInt32LE(4)), webpChunk('EXIF', exifOf('Exif\0\0')))],
    ] as const) {
      const clean = cleaned(bytes, contentType);
      assert.equal((await sharp(clean).metadata()).orientation, 3, contentType);
      assert.ok(!clean.includes(SECRET));
      assert.equal(clean.toString('latin1').match(/exif/gi)?.length, 1, contentType);
    }
  });
});

/** Content that is no metadata to a decoder, whatever it says. */
const DRAWN = `drawn ${SECRET}`;

describe('every part of a format by which a picture is drawn stays as it is', () => {
  test('[PICTURE-1] a JPEG keeps its frames, tables, and color profiles', async () => {
    const original = await picture().jpeg().toBuffer();
    const markers = [0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xdb, 0xdc, 0xdd];
    const segments = [
      ...markers.map((marker) => jpegSegment(marker, DRAWN)),
      jpegSegment(0xe2, `ICC_PROFILE\0${DRAWN}`),
      jpegSegment(0xee, 'Adobe\0\x64\0\0\0\0\x01'),
    ];
    for (const segment of segments) {
      const whole = Buffer.concat([original.subarray(0, 2), segment, original.subarray(2)]);
      assert.ok(cleaned(whole, 'image/jpeg').equals(whole), segment.toString('hex'));
    }
  });

  test('[PICTURE-1] a PNG keeps its colors, transparency, resolution, and animation', async () => {
    const original = await picture().png().toBuffer();
    const types = `PLTE tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD pHYs hIST acTL fcTL fdAT IDAT`.split(' ');
    for (const type of types) {
      const whole = Buffer.concat([original.subarray(0, 33), pngChunk(type, DRAWN), original.subarray(33)]);
      assert.ok(cleaned(whole, 'image/png').equals(whole), type);
    }
  });

  test('[PICTURE-1] a WebP keeps its images, transparency, color profile, and animation', () => {
    const features = webpChunk('VP8X', Buffer.from('120000003b0000270000', 'hex'));
    const image = webpChunk('VP8L', 'image');
    const frame = (...chunks: Buffer[]) => webpChunk('ANMF', Buffer.concat([Buffer.alloc(16), ...chunks]));
    for (const type of ['VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ICCP']) {
      const whole = webpOf(features, webpChunk(type, DRAWN), image);
      assert.ok(cleaned(whole, 'image/webp').equals(whole), type);
    }
    for (const type of ['VP8 ', 'VP8L', 'ALPH']) {
      const whole = webpOf(features, frame(webpChunk(type, DRAWN), image));
      assert.ok(cleaned(whole, 'image/webp').equals(whole), `${type} in a frame`);
    }
  });

  test('[PICTURE-1] a GIF keeps the timing, transparency, and looping of its images', async () => {
    const original = await picture().gif().toBuffer();
    const first = 13 + 3 * 2 ** (((original[10] as number) & 7) + 1);
    for (const block of [
      '!\xf9\x04\x05\x0a\0\x01\0',
      '!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0',
      '!\xff\x0bANIMEXTS1.0\x03\x01\0\0\0',
    ]) {
      const whole = Buffer.concat([original.subarray(0, first), Buffer.from(block, 'latin1'), original.subarray(first)]);
      assert.ok(cleaned(whole, 'image/gif').equals(whole), block);
    }
  });

  test('[PICTURE-1] a HEIC keeps every kind of image, and what puts them together', () => {
    const pixelItem = { type: 'hvc1', data: 'the pixels' };
    for (const type of 'hvc1 hev1 lhv1 av01 avc1 jpeg grid iden iovl tmap unci hvt1'.split(' ')) {
      const whole = heicOf({ items: [pixelItem, { type, data: DRAWN }] });
      assert.ok(cleaned(whole, 'image/heic').equals(whole), type);
    }
    for (const type of 'hdlr pitm iref idat dinf grpl ipro'.split(' ')) {
      const whole = heicOf({ items: [pixelItem], inMeta: [box(type, DRAWN)] });
      assert.ok(cleaned(whole, 'image/heic').equals(whole), type);
    }
    for (const type of 'ispe colr pixi irot imir clap hvcC av1C auxC pasp'.split(' ')) {
      const whole = heicOf({ items: [pixelItem], properties: [box(type, DRAWN)] });
      assert.ok(cleaned(whole, 'image/heic').equals(whole), type);
    }
  });
});

describe('a picture that breaks its format is closed where decoders stop', () => {
  test('[PICTURE-1] a JPEG that a camera cut off keeps the part that exists', async () => {
    const original = await picture().jpeg({ quality: 100 }).toBuffer();
    const cut = original.subarray(0, original.length - 400);
    assert.ok(cleaned(cut, 'image/jpeg').equals(cut));
  });

  test('[PICTURE-1] a JPEG with stray bytes between segments loses its location', async () => {
    const original = await located(1).jpeg().toBuffer();
    const odd = Buffer.concat([original.subarray(0, 2), Buffer.from('ab'), original.subarray(2)]);
    const clean = cleaned(odd, 'image/jpeg');
    assert.ok(!clean.includes(SECRET) && (await pixels(original)).equals(await pixels(clean)));
  });

  test('[PICTURE-1] a PNG without its end loses its location and is closed', async () => {
    const original = await located(1).png().toBuffer();
    assert.ok(original.includes(SECRET));
    const clean = cleaned(original.subarray(0, -12), 'image/png');
    assert.ok(!clean.includes(SECRET) && (await pixels(original)).equals(await pixels(clean)));
  });
});

describe('the picture process', () => {
  const spooled = (bytes: Buffer) => spoolFile(Readable.from([bytes]), { maxBytes: 32 * MIB });

  test('[PICTURE-1] several pictures are cleaned, and other files stay as they are', async () => {
    const original = await located(6).jpeg().toBuffer();
    await using jpeg = await spooled(original);
    await using text = await spooled(Buffer.from('text'));
    await using png = await spooled(await picture().png().toBuffer());
    const files = [
      { contentType: 'text/plain', content: text },
      { contentType: 'image/jpeg', content: jpeg },
      { contentType: 'image/png', content: png },
    ];
    await using passedOn = await withoutMetadata(files, { owner: '1' });
    const [first, second, third] = await Promise.all(passedOn.contents.map((content) => buffer(content.open())));
    assert.equal(first?.toString(), 'text');
    assert.ok(second?.equals(cleaned(original, 'image/jpeg')));
    assert.ok(third?.equals(await buffer(png.open())));
  });

  test('[PICTURE-3] the answer names the picture that cannot be used', async () => {
    await using good = await spooled(await picture().png().toBuffer());
    await using bad = await spooled(SAMPLES.jpg);
    const files = [
      { contentType: 'text/plain', content: good },
      { contentType: 'image/png', content: good },
      { contentType: 'image/jpeg', content: bad },
    ];
    await assert.rejects(withoutMetadata(files, { owner: '1' }), (error) => {
      assert.ok(error instanceof UnusablePictureError);
      assert.deepEqual([error.failure, error.index], ['damaged', 2]);
      return true;
    });
  });

  test('[PICTURE-4] cleaning ends when the sender leaves, even while it waits for its turn', async () => {
    await using content = await spooled(await picture().png().toBuffer());
    const leaving = new AbortController();
    const pictures = [{ contentType: 'image/png', content }];
    const turn = { owner: '1', signal: leaving.signal };
    const running = [cleanPictures(pictures, turn), cleanPictures(pictures, turn)];
    leaving.abort(new Error('left'));
    const reasons = (await Promise.allSettled(running)).map((result) => result.status === 'rejected' && result.reason);
    assert.deepEqual(reasons.map(String), ['Error: left', 'Error: left']);
    const [copy] = await cleanPictures(pictures, { owner: '1' });
    await copy?.dispose();
    assert.ok(copy);
  });
});
