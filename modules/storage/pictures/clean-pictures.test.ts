import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import type { ByteSource } from '../byte-source.ts';
import { SAMPLES } from '../sample-files.ts';
import { cleanHeic } from './clean-heic.ts';
import { DamagedPictureError, openPieces, sizeOf } from './picture-pieces.ts';
import { CLEANERS } from './pictures.ts';

const SECRET = 'Sesame Street 123';
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>${SECRET}</rdf:Description></rdf:RDF></x:xmpmeta>`;
const EXIF = {
  IFD0: { Make: SECRET },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1', GPSLongitudeRef: 'E', GPSLongitude: '13/1 24/1 18/1' },
};

function sourceOf(bytes: Buffer): ByteSource {
  return { size: bytes.length, open: (range) => Readable.from([bytes.subarray(range?.start, range && range.end + 1)]) };
}

async function cleaned(bytes: Buffer, clean = CLEANERS['image/jpeg']): Promise<Buffer> {
  assert.ok(clean);
  const pieces = await clean(sourceOf(bytes));
  const result = await buffer(openPieces(sourceOf(bytes), pieces));
  assert.equal(result.length, sizeOf(pieces));
  return result;
}

const pixels = (bytes: Buffer) => sharp(bytes).raw().toBuffer();

/** Noise, so that scans are long; wider than high, so that turning shows. */
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
];

describe('pictures are rid of what they say about their maker and place', () => {
  for (const [kind, make, contentType] of kinds) {
    test(`[Direct upload endpoints] ${kind} loses its location and keeps its pixels, colours and orientation`, async () => {
      const original = await make(located(6)).toBuffer();
      assert.ok(original.includes(SECRET), 'the sample has metadata');
      const clean = await cleaned(original, CLEANERS[contentType]);
      assert.ok(!clean.includes(SECRET) && !clean.includes('GPS') && !clean.includes('xmpmeta'));
      assert.ok((await pixels(original)).equals(await pixels(clean)));
      const { orientation, icc, xmp } = await sharp(clean).metadata();
      assert.deepEqual([orientation, icc !== undefined, xmp], [6, true, undefined]);
      assert.ok((await cleaned(clean, CLEANERS[contentType])).equals(clean), 'once more changes nothing');
    });

    test(`${kind} without metadata stays as it is`, async () => {
      const original = await make(picture()).toBuffer();
      assert.ok((await cleaned(original, CLEANERS[contentType])).equals(original));
    });

    test(`what follows the end of ${kind} is cut off`, async () => {
      const original = await make(picture()).toBuffer();
      const clean = await cleaned(Buffer.concat([original, Buffer.from(SECRET)]), CLEANERS[contentType]);
      assert.ok(clean.equals(original));
    });

    test(`any damage to ${kind} is named, never a crash`, async () => {
      const original = await make(located(3)).toBuffer();
      const damage = fc.array(fc.tuple(fc.nat(original.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
      const run = async (places: [number, number][], length: number) => {
        const damaged = Buffer.from(original.subarray(0, length));
        for (const [at, value] of places) damaged[at] = value;
        await cleaned(damaged, CLEANERS[contentType]).catch((error) => assert.ok(error instanceof DamagedPictureError));
      };
      await fc.assert(fc.asyncProperty(damage, fc.nat(original.length), run), { numRuns: 200 });
    });
  }

  test('the texts of a PNG go', async () => {
    const original = await picture().png().toBuffer();
    const text = Buffer.from(`tEXtComment\0${SECRET}`, 'latin1');
    const chunk = Buffer.concat([Buffer.alloc(4), text, Buffer.alloc(4)]);
    chunk.writeUInt32BE(text.length - 4);
    const at = original.indexOf('IDAT') - 4;
    const withText = Buffer.concat([original.subarray(0, at), chunk, original.subarray(at)]);
    assert.ok((await cleaned(withText, CLEANERS['image/png'])).equals(original));
  });

  test('a comment, a maker note and a second picture of a JPEG go', async () => {
    const original = await picture().jpeg().toBuffer();
    const segment = (marker: number, content: string) => {
      const head = Buffer.from([0xff, marker, 0, 0]);
      head.writeUInt16BE(content.length + 2, 2);
      return Buffer.concat([head, Buffer.from(content, 'latin1')]);
    };
    const more = [segment(0xfe, SECRET), segment(0xe2, `MPF\0${SECRET}`), segment(0xed, SECRET), segment(0xe5, SECRET)];
    const noisy = Buffer.concat([original.subarray(0, 2), ...more, original.subarray(2), original]);
    assert.ok((await cleaned(noisy)).equals(original));
  });

  test('a JPEG that a camera has cut off keeps what there is', async () => {
    const original = await picture().jpeg({ quality: 100 }).toBuffer();
    const cut = original.subarray(0, original.length - 400);
    assert.ok((await cleaned(cut)).equals(cut));
  });

  test('a HEIC loses its location in place; its pixels stay (shown by AVIF, which is built alike)', async () => {
    const original = await located(1).avif().toBuffer();
    assert.ok(original.includes(SECRET));
    const clean = await cleaned(original, cleanHeic);
    assert.equal(clean.length, original.length);
    assert.ok(!clean.includes(SECRET) && !clean.includes('GPS'));
    assert.ok((await pixels(original)).equals(await pixels(clean)));
    const run = async (at: number, value: number) => {
      const damaged = Buffer.from(original);
      damaged[at] = value;
      await cleaned(damaged, cleanHeic).catch((error) => assert.ok(error instanceof DamagedPictureError));
    };
    await fc.assert(fc.asyncProperty(fc.nat(600), fc.nat(255), run), { numRuns: 400 });
  });

  test('what only begins like a picture is damaged', async () => {
    for (const [sample, contentType] of [
      [SAMPLES.jpg, 'image/jpeg'],
      [SAMPLES.heic, 'image/heic'],
      [SAMPLES.webp.subarray(0, 20), 'image/webp'],
      [SAMPLES.png.subarray(0, 30), 'image/png'],
    ] as const) {
      await assert.rejects(cleaned(sample, CLEANERS[contentType]), DamagedPictureError, contentType);
    }
  });
});
