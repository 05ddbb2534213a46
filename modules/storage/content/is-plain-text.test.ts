import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ByteSource } from '../byte-source.ts';
import { isPlainText } from './is-plain-text.ts';

/** A file that arrives in pieces of this size. */
function sourceOf(bytes: Buffer, size = 4096): ByteSource {
  function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return {
    size: bytes.length,
    open: (range) => Readable.from(range ? [bytes.subarray(range.start, range.end + 1)] : pieces()),
  };
}

/** As far as a browser reads to guess a type (WHATWG MIME Sniffing, 5.2). */
const SNIFFED_BYTES = 1445;
const ELEMENTS = `a b base body br div embed font form h1 head html iframe img link math meta object p script style svg table
  title`.split(/\s+/);
const OTHER_BEGINNINGS = ['<!doctype html>', '<!-- x -->', '<!--\n', '<?xml', '#!/bin/sh', '%!PS', '%PDF-1', '{\\rtf1'];
/** Two-byte, three-byte, and four-byte characters, most of which are no letters in any single-byte encoding. */
const LONG = 'é漢字😀を読む'.repeat(60);

test('[FILE-2] of the control characters, a text has only tabs, ends of lines, and form feeds', async () => {
  const accepted: number[] = [];
  for (let byte = 0; byte < 0x80; byte += 1) {
    const text = Buffer.concat([Buffer.from('a text '), Buffer.from([byte]), Buffer.from(' and more')]);
    if (await isPlainText(sourceOf(text))) accepted.push(byte);
  }
  const printable = Array.from({ length: 0x7f - 0x20 }, (_, at) => 0x20 + at);
  assert.deepEqual(accepted, [0x09, 0x0a, 0x0c, 0x0d, ...printable]);
});

test('[FILE-2] characters of a text may be cut between any two pieces, and not at its end', async () => {
  const bytes = Buffer.from(LONG);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.nat(3), async (size, start) => {
      assert.equal(await isPlainText(sourceOf(Buffer.concat([Buffer.alloc(start, 'a'), bytes]), size)), true);
    }),
    { numRuns: 20 },
  );
  for (const missing of [1, 2]) {
    for (const size of [1, 3, 4096]) assert.equal(await isPlainText(sourceOf(bytes.subarray(0, -missing), size)), false);
  }
  const broken = Buffer.from(bytes);
  broken[broken.length >> 1] = 0xff;
  assert.equal(await isPlainText(sourceOf(broken)), false, 'and all of it has to be valid');
});

test('[FILE-2] what a browser would run is found as far as a browser looks, in each encoding', async () => {
  const encodings: [string, (text: string) => Buffer][] = [
    ['UTF-8', (text) => Buffer.from(text)],
    ['UTF-8 with a mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ];
  for (const [name, encode] of encodings) {
    const mark = name === 'UTF-8 with a mark' ? 3 : 0;
    for (const active of ['<script>', '<svg ', '<html>', '<iframe/']) {
      const room = SNIFFED_BYTES - mark - active.length;
      const at = (place: number) => isPlainText(sourceOf(encode(`${'a'.repeat(place)}${active}${'b'.repeat(2000)}`), 100_000));
      assert.deepEqual([await at(room), await at(100_000)], [false, true], `${active} in ${name}`);
    }
    // Every element by which a browser recognizes a page, and other beginnings that a program would run.
    const start = (text: string) => isPlainText(sourceOf(encode(`${text} and more`)));
    assert.deepEqual([await start('  \n<b>'), await start('a <b>'), await start('<bold>')], [false, true, true], name);
    for (const active of [...ELEMENTS.map((element) => `<${element}>`), ...OTHER_BEGINNINGS])
      for (const written of [active, active.toUpperCase()]) assert.equal(await start(written), false, `${written} in ${name}`);
  }
});
