import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { InvalidInputError } from '@case-platform/lib/errors';
import fc from 'fast-check';
import { compoundFile, officePackage, SAMPLES, zip } from '../../../test/support/file-samples.ts';
import { fuzzing } from '../../../test/support/hostile/fuzzing.ts';
import { compoundFileOfChains } from '../../../test/support/hostile/hostile-files.ts';
import type { ByteSource } from '../byte-source.ts';
import { cleanFilename } from './attachment-types.ts';
import { parseFileType } from './parse-file-type.ts';

function sourceOf(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    open: (range) => Readable.from(range ? [bytes.subarray(range.start, range.end + 1)] : chunksOf(bytes)),
  };
}

/** Yields odd pieces, so that characters and headers are cut in the middle. */
function* chunksOf(bytes: Buffer): Generator<Buffer> {
  const size = bytes.length > 10_000 ? 4096 : 7;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const excel = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
/** "Счёт за аренду: 1200 руб." in Windows-1251. */
const CYRILLIC = Buffer.from('d1f7b8f220e7e020e0f0e5ede4f33a203132303020f0f3e12e0a', 'hex');

const accepted: [what: string, content: Buffer, filename: string, contentType: string, result: string][] = [
  ['PDF', SAMPLES.pdf, 'contract.pdf', 'application/pdf', 'application/pdf pdf'],
  ['JPEG', SAMPLES.jpg, 'photo.JPEG', 'image/jpeg', 'image/jpeg jpg'],
  ['PNG', SAMPLES.png, 'scan.png', 'image/png', 'image/png png'],
  ['GIF', SAMPLES.gif, 'a.gif', 'image/gif', 'image/gif gif'],
  ['WebP', SAMPLES.webp, 'a.webp', 'image/webp', 'image/webp webp'],
  ['HEIC that the browser does not know', SAMPLES.heic, 'IMG_1.HEIC', '', 'image/heic heic'],
  ['plain text', SAMPLES.txt, 'note.txt', 'text/plain; charset=utf-8', 'text/plain txt'],
  ['plain text in Latin-1', Buffer.from('Gr\xfc\xdfe aus K\xf6ln\r\n', 'latin1'), 'a.txt', 'text/plain', 'text/plain txt'],
  ['text of long characters', Buffer.from('漢🎉é'.repeat(9001)), 'a.txt', 'text/plain', 'text/plain txt'],
  ['text in UTF-8 cut in its last character', Buffer.from('Grüße 漢').subarray(0, -1), 'a.txt', '', 'text/plain txt'],
  ['text that begins like a bitmap', Buffer.from('BMW, MZ and II*'), 'a.txt', 'text/plain', 'text/plain txt'],
  ['CSV', SAMPLES.csv, 'a.csv', 'text/csv', 'text/csv csv'],
  ['CSV as Windows names it', SAMPLES.csv, 'a.csv', 'application/vnd.ms-excel', 'text/csv csv'],
  ['DOC', SAMPLES.doc, 'a.doc', 'application/msword', 'application/msword doc'],
  ['DOC with a long directory', compoundFile([...'abcdefgh', 'WordDocument']), 'a.doc', '', 'application/msword doc'],
  ['DOC with long sectors', compoundFile(['WordDocument'], 4096), 'a.doc', 'application/msword', 'application/msword doc'],
  ['DOCX', SAMPLES.docx, 'a.docx', word, `${word} docx`],
  ['XLS', SAMPLES.xls, 'a.xls', 'application/vnd.ms-excel', 'application/vnd.ms-excel xls'],
  ['XLSX', SAMPLES.xlsx, 'a.xlsx', 'application/octet-stream', `${excel} xlsx`],
  ['XLSX with its types last', officePackage('xlsx', Buffer.alloc(3e6, 1)), 'a.xlsx', excel, `${excel} xlsx`],
  ['a PDF whose type a program did not name', SAMPLES.pdf, 'contract.pdf', 'text/plain', 'application/pdf pdf'],
  ['a PDF under another name of its type', SAMPLES.pdf, 'a.pdf', 'application/x-download', 'application/pdf pdf'],
  ['a PDF as unnamed bytes', SAMPLES.pdf, 'a.pdf', 'binary/octet-stream', 'application/pdf pdf'],
  ['a PDF behind a line end', Buffer.concat([Buffer.from('\r\n'), SAMPLES.pdf]), 'a.pdf', '', 'application/pdf pdf'],
  ['a PDF behind 1,019 bytes', Buffer.concat([Buffer.alloc(1019), SAMPLES.pdf]), 'a.pdf', '', 'application/pdf pdf'],
  ['DOCX as a zip', SAMPLES.docx, 'a.docx', 'application/zip', `${word} docx`],
  ['HEIC without a type', SAMPLES.heic, 'a.heic', 'text/plain', 'image/heic heic'],
  ['CSV under an old type', SAMPLES.csv, 'a.csv', 'text/x-comma-separated-values', 'text/csv csv'],
  ['JFIF', SAMPLES.jpg, 'photo.jfif', 'image/jpeg', 'image/jpeg jpg'],
  ['a HEIC photo named as JPEG', SAMPLES.heic, 'photo.jpg', 'image/jpeg', 'image/heic heic'],
  ['PNG named as JPEG', SAMPLES.png, 'a.jpg', 'image/png', 'image/png png'],
  ['CSV in UTF-16 LE', utf16('name\tsum\r\nAnna\t1\r\n'), 'a.csv', 'text/csv', 'text/csv csv'],
  ['text in UTF-16 BE', utf16('Größe: 你好 🎉\n'.repeat(999)).swap16(), 'a.txt', '', 'text/plain txt'],
  ['text in Windows-1251', Buffer.concat(Array.from({ length: 40 }, () => CYRILLIC)), 'a.txt', 'text/plain', 'text/plain txt'],
  ['a name without extension', SAMPLES.pdf, 'contract', 'application/pdf', 'application/pdf pdf'],
];

for (const [what, content, filename, contentType, result] of accepted) {
  test(`[FILE-2] accepts ${what}`, async () => {
    const checked = await parseFileType(sourceOf(content), { filename, contentType });
    assert.equal(`${checked.contentType} ${checked.extension}`, result);
  });
}

const html = Buffer.from('\ufeff  <!DOCTYPE html><script>alert(1)</script>');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

const refused: [what: string, content: Buffer, filename: string, contentType: string, code: string][] = [
  ['a program', Buffer.from('MZ\x90\x00'), 'a.exe', 'application/octet-stream', 'file_type'],
  ['a program named as text', Buffer.from('MZ\x90\x00\x03\x00'), 'a.txt', 'text/plain', 'file_content'],
  ['HTML', html, 'a.html', 'text/html', 'file_type'],
  ['HTML named as text', html, 'a.txt', 'text/plain', 'file_content'],
  ['HTML named as an image', html, 'a.png', 'image/png', 'file_content'],
  ['SVG', svg, 'a.svg', 'image/svg+xml', 'file_type'],
  ['SVG named as text', svg, 'a.txt', 'text/plain', 'file_content'],
  ['SVG behind a comment', Buffer.concat([Buffer.from('hello\n'), svg]), 'a.txt', 'text/plain', 'file_content'],
  ['XML named as CSV', Buffer.from('<?xml version="1.0"?><a/>'), 'a.csv', 'text/csv', 'file_content'],
  ['a shell script named as text', Buffer.from('#!/bin/sh\nrm -r x\n'), 'a.txt', 'text/plain', 'file_content'],
  ['text with NULs', Buffer.from('a\0b'), 'a.txt', 'text/plain', 'file_content'],
  ['bytes that are not text in any encoding', Buffer.alloc(900, 0x97), 'a.txt', 'text/plain', 'file_content'],
  ['HTML in UTF-16', utf16('<!doctype html><p>Hello'), 'a.txt', 'text/plain', 'file_content'],
  ['a script inside UTF-16', utf16('Hello <script>'), 'a.txt', 'text/plain', 'file_content'],
  ['an odd number of bytes as UTF-16', utf16('Hello').subarray(0, -1), 'a.txt', 'text/plain', 'file_content'],
  ['a control character in UTF-16', utf16('a\0b'), 'a.txt', 'text/plain', 'file_content'],
  ['half a character in UTF-16', utf16('a\ud83d b'), 'a.txt', 'text/plain', 'file_content'],
  ['a workbook with a password', compoundFile(['EncryptedPackage']), 'a.xlsx', excel, 'file_content'],
  ['a PDF behind 1,020 bytes', Buffer.concat([Buffer.alloc(1020), SAMPLES.pdf]), 'a.pdf', '', 'file_content'],
  ['a PDF named as JPEG', SAMPLES.pdf, 'a.jpg', 'image/jpeg', 'file_content'],
  ['PDF sent as JPEG', SAMPLES.pdf, 'a.pdf', 'image/jpeg', 'file_type'],
  ['a zip named as DOCX', zip([{ name: 'a', content: Buffer.from('b') }]), 'a.docx', word, 'file_content'],
  ['XLSX named as DOCX', SAMPLES.xlsx, 'a.docx', word, 'file_content'],
  ['a document with macros', officePackage('docm'), 'a.docx', word, 'file_content'],
  ['an installer named as DOC', compoundFile(['SummaryInformation']), 'a.doc', '', 'file_content'],
  ['a workbook named as DOC', SAMPLES.xls, 'a.doc', 'application/msword', 'file_content'],
  ['a cut-off DOC', SAMPLES.doc.subarray(0, 700), 'a.doc', 'application/msword', 'file_content'],
  ['a cut-off DOCX', SAMPLES.docx.subarray(0, 90), 'a.docx', word, 'file_content'],
  [
    'a directory that points outside',
    Buffer.from(SAMPLES.docx).fill(0x7f, SAMPLES.docx.length - 6),
    'a.docx',
    word,
    'file_content',
  ],
  ['an empty file', Buffer.alloc(0), 'a.txt', 'text/plain', 'file_empty'],
  ['one byte', Buffer.from('%'), 'a.pdf', 'application/pdf', 'file_content'],
  ['no name and no type', SAMPLES.pdf, '', '', 'file_type'],
];

for (const [what, content, filename, contentType, code] of refused) {
  test(`[FILE-2] rejects ${what}`, async () => {
    await assert.rejects(parseFileType(sourceOf(content), { filename, contentType }), (error: unknown) => {
      assert.ok(error instanceof InvalidInputError);
      assert.equal(error.code, code);
      assert.equal(error.errors[0]?.field, 'files');
      return true;
    });
  });
}

test('[FILE-9] a picture has the name of its true kind', async () => {
  const nameOf = async (content: Buffer, filename: string) =>
    (await parseFileType(sourceOf(content), { filename, contentType: '' })).filename;
  assert.equal(await nameOf(SAMPLES.heic, 'IMG_1.jpg'), 'IMG_1.heic');
  assert.equal(await nameOf(SAMPLES.jpg, 'scan.PNG'), 'scan.jpg');
  assert.equal(await nameOf(SAMPLES.jpg, 'scan.JFIF'), 'scan.JFIF');
  assert.equal(await nameOf(SAMPLES.png, `${'x'.repeat(196)}.png`), `${'x'.repeat(196)}.png`);
  assert.equal((await nameOf(SAMPLES.heic, `${'x'.repeat(196)}.png`)).length, 200);
});

test('[FILE-2] a rejection says what is wrong', async () => {
  const why = (content: Buffer, filename: string) =>
    parseFileType(sourceOf(content), { filename, contentType: '' }).then(
      () => '',
      (error: InvalidInputError) => error.errors[0]?.message,
    );
  assert.match((await why(compoundFile(['EncryptedPackage']), 'a.xlsx')) ?? '', /has a password/);
  assert.match((await why(SAMPLES.xls, 'a.xlsx')) ?? '', /isn’t the kind of file its name says \(XLSX\)/);
});

test('a file name loses its path, control characters, and direction marks, and keeps its extension', () => {
  assert.equal(cleanFilename('C:\\Users\\a\\scan.pdf'), 'scan.pdf');
  assert.equal(cleanFilename('../../etc/pass\u0000wd'), 'passwd');
  assert.equal(cleanFilename('report\u202efdp.exe'), 'reportfdp.exe');
  assert.equal(cleanFilename('Vertrag für Anna 你好.pdf'), 'Vertrag für Anna 你好.pdf');
  assert.equal(cleanFilename(' .. '), 'file');
  const long = cleanFilename(`${'x'.repeat(500)}.pdf`);
  assert.equal(long.length, 200);
  assert.ok(long.endsWith('.pdf'));
});

describe('the cost of checking a file does not depend on its content', () => {
  /** A file that counts how often and how much of it is read, because each read may be a call to the storage. */
  function countedSource(bytes: Buffer): ByteSource & { reads: number; bytesRead: number } {
    const counts = { reads: 0, bytesRead: 0 };
    const open: ByteSource['open'] = ({ start, end } = { start: 0, end: bytes.length - 1 }) => {
      const range = bytes.subarray(start, end + 1);
      counts.reads += 1;
      counts.bytesRead += range.length;
      return Readable.from([range]);
    };
    return Object.assign(counts, { size: bytes.length, open });
  }

  const claims: [filename: string, sample: Buffer][] = [
    ['a.doc', SAMPLES.doc],
    ['a.xls', SAMPLES.xls],
    ['a.docx', SAMPLES.docx],
    ['a.xlsx', SAMPLES.xlsx],
    ['a.png', SAMPLES.png],
    ['a.heic', SAMPLES.heic],
    ['a.pdf', SAMPLES.pdf],
    ['a.txt', SAMPLES.txt],
  ];

  async function checkCost(bytes: Buffer, filename: string): Promise<void> {
    const source = countedSource(bytes);
    await parseFileType(source, { filename, contentType: '' }).catch((error) =>
      assert.ok(error instanceof InvalidInputError, String(error)),
    );
    assert.ok(source.reads <= 70, `${source.reads} reads`);
    assert.ok(source.bytesRead <= 5 * 1024 * 1024 + 2 * bytes.length, `${source.bytesRead} bytes read`);
  }

  test('[FILE-2] a DOC whose tables point all over the file is read in a few blocks', async () => {
    const bytes = compoundFileOfChains();
    assert.ok(bytes.length < 140_000);
    const source = countedSource(bytes);
    await assert.rejects(parseFileType(source, { filename: 'a.doc', contentType: '' }), InvalidInputError);
    assert.ok(source.reads <= 6, `${source.reads} reads`);
  });

  test('[FILE-2] a DOCX with many empty names is rejected at a bounded cost', async () => {
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50);
    const bytes = Buffer.concat([...Array(90_000).fill(entry), end]);
    await checkCost(bytes, 'a.docx');
  });

  for (const [filename, sample] of claims) {
    test(`[FILE-2, FILE-8] any damage to ${filename} is rejected or accepted, at a bounded cost`, async () => {
      const place = fc.tuple(fc.nat(Math.max(0, sample.length - 1)), fc.nat(255));
      const run = async (places: [number, number][], length: number) => {
        const damaged = Buffer.from(sample.subarray(0, length));
        for (const [at, value] of places) if (at < damaged.length) damaged[at] = value;
        await checkCost(damaged, filename);
      };
      await fc.assert(fc.asyncProperty(fc.array(place, { maxLength: 8 }), fc.nat(sample.length), run), fuzzing(100));
    });
  }
});

test('[FILE-7] any file name becomes one visible line that cannot leave its folder', () => {
  const unit = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('/', '\\', '..', '.pdf', '\u202e', '\u0000', '\ud800', '\r\n', ' '),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 300 }), (parts) => {
      const name = cleanFilename(parts.join(''));
      assert.ok(name.length >= 1 && name.length <= 200, `${name.length} characters`);
      assert.ok(name.isWellFormed() && name === name.trim());
      // biome-ignore lint/suspicious/noControlCharactersInRegex: no control character may be left
      assert.doesNotMatch(name, /[/\\\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]|^\.+$/);
      assert.equal(cleanFilename(name), name);
    }),
    fuzzing(300),
  );
});
