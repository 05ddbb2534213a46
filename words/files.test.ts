import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedFiles, extensionOf, fileKindWords, isShownPicture, sizeLimitWords, sizeWords } from './files.ts';
import { type PictureFailure, pictureFailureWords } from './pictures.ts';
import { UPLOADS } from './uploads.ts';
import { movedInWords, PASSES_AGAIN } from './whereabouts.ts';

test('sizes are rounded for people, and limits are exact to the byte', () => {
  assert.deepEqual([1, 12, 284_331, 26_214_400].map(sizeWords), ['1 byte', '12 bytes', '278 KB', '25.0 MB']);
  assert.deepEqual([20, 26_214_400].map(sizeLimitWords), ['20 bytes', '25 MB']);
});

test('a size changes its unit at 1,024 of the smaller one', () => {
  assert.deepEqual([0, 1023, 1024, 1_048_575, 1_048_576, 1_048_577, 107_374_182_400].map(sizeWords), [
    '0 bytes',
    '1,023 bytes',
    '1 KB',
    '1024 KB',
    '1.0 MB',
    '1.0 MB',
    '102400.0 MB',
  ]);
  assert.deepEqual([1_048_575, 1_048_576].map(sizeLimitWords), ['1,048,575 bytes', '1 MB']);
});

test('each kind of file has a name, and a page shows the pictures that browsers can show', () => {
  const names = acceptedFiles()
    .split(',')
    .map((end) => `${end} ${fileKindWords(`a${end}`)}`);
  assert.deepEqual(names, [
    '.pdf PDF',
    '.jpg JPEG image',
    '.jpeg JPEG image',
    '.jfif JPEG image',
    '.png PNG image',
    '.gif GIF image',
    '.webp WebP image',
    '.heic HEIC image',
    '.heif HEIC image',
    '.txt Text',
    '.text Text',
    '.csv CSV table',
    '.doc Word document',
    '.docx Word document',
    '.xls Excel workbook',
    '.xlsx Excel workbook',
  ]);
  const types = ['png', 'jpeg', 'gif', 'webp', 'heic', 'heif', 'svg+xml', 'tiff'];
  assert.deepEqual(
    types.filter((type) => isShownPicture(`image/${type}`)),
    ['png', 'jpeg', 'gif', 'webp'],
  );
});

test('the extension names the kind of file', () => {
  const ends = ['scan.PDF', 'a.tar.gz', 'pdf', '.', '', 'x.toString'].map(extensionOf);
  assert.deepEqual(ends, ['pdf', 'gz', '', '', '', 'tostring']);
  assert.equal(fileKindWords('scan.PDF'), 'PDF');
  for (const name of ['a.exe', 'pdf', 'x.constructor', '']) assert.equal(fileKindWords(name), null, name);
});

test('every kind of file that can be uploaded has a name', () => {
  for (const rules of Object.values(UPLOADS)) {
    for (const extension of acceptedFiles(rules.extensions).split(',')) assert.notEqual(fileKindWords(`a${extension}`), null);
  }
});

test('each failure and each move has its own sentence', () => {
  const failures: PictureFailure[] = ['damaged', 'too_large', 'too_slow', 'unfinished'];
  const sentences = failures.map(pictureFailureWords);
  assert.equal(new Set(sentences).size, failures.length);
  assert.match(sentences[0] ?? '', /damaged/);
  assert.match(sentences[1] ?? '', /too large .* 9 megapixels/);
  assert.match(sentences[2] ?? '', /too long .* JPEG/);
  assert.match(sentences[3] ?? '', /couldn’t process .* JPEG/);
  assert.deepEqual(PASSES_AGAIN, ['not_approved', 'no_account'], 'only what waits for a person moves the day every day');
  assert.notEqual(movedInWords('not_approved'), movedInWords('no_account'));
});

test('each purpose accepts its formats up to its size', () => {
  const accepted = Object.entries(UPLOADS).map(([purpose, { maxBytes, extensions }]) => {
    const has = (...names: string[]) => names.filter((name) => (extensions as readonly string[]).includes(name));
    return [purpose, maxBytes / 2 ** 20, has('png', 'jpg', 'webp', 'heic', 'pdf', 'docx', 'csv', 'svg', 'html').join(' ')];
  });
  assert.deepEqual(accepted, [
    ['profile_picture', 10, 'png jpg webp'],
    ['photo_id', 25, 'png jpg webp heic pdf'],
    ['case_document', 100, 'png jpg webp heic pdf docx csv'],
    ['disbursement_receipt', 25, 'png jpg webp heic pdf docx csv'],
  ]);
});
