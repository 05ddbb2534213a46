import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedFiles, extensionOf, fileKindWords, sizeLimitWords, sizeWords } from './files.ts';
import { UPLOADS } from './uploads.ts';

test('sizes are told as people read them, and limits to the byte', () => {
  assert.deepEqual([1, 12, 284_331, 26_214_400].map(sizeWords), ['1 byte', '12 bytes', '278 KB', '25.0 MB']);
  assert.deepEqual([20, 26_214_400].map(sizeLimitWords), ['20 bytes', '25 MB']);
});

test('the end of a name says what kind of file it is', () => {
  const ends = ['scan.PDF', 'a.tar.gz', 'pdf', '.', '', 'x.toString'].map(extensionOf);
  assert.deepEqual(ends, ['pdf', 'gz', '', '', '', 'tostring']);
  assert.equal(fileKindWords('scan.PDF'), 'PDF');
  for (const name of ['a.exe', 'pdf', 'x.constructor', '']) assert.equal(fileKindWords(name), null, name);
});

test('every kind that may be uploaded somewhere is one that has a name', () => {
  for (const rules of Object.values(UPLOADS)) {
    for (const extension of acceptedFiles(rules.extensions).split(','))
      assert.notEqual(fileKindWords(`a${extension}`), null);
  }
});
