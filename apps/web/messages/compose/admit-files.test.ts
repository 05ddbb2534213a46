import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTACHMENT_MAX_BYTES } from '@case-platform/words/limits';
import { admitFiles } from './admit-files.ts';

const file = (name: string, size = 1000) => ({ name, size });

test('files of the allowed types are accepted, in any case of their names', () => {
  const extensions = 'pdf JPG jpeg png gif webp heic txt csv docx doc xls xlsx'.split(' ');
  for (const extension of extensions) assert.equal(admitFiles([], [file(`a.${extension}`)]).admitted.length, 1, extension);
});

test('files of other types are rejected', () => {
  for (const name of ['a.exe', 'b.svg', 'c.html', 'pdf', 'd.pdf.js', '.', '']) {
    assert.equal(admitFiles([], [file(name)]).admitted.length, 0, name);
  }
});

test('an eleventh file is rejected, counting those already attached', () => {
  const present = Array.from({ length: 9 }, (_, index) => file(`${index}.pdf`));
  const { admitted, refused } = admitFiles(present, [file('tenth.pdf'), file('eleventh.pdf')]);
  assert.deepEqual(
    admitted.map(({ name }) => name),
    ['tenth.pdf'],
  );
  assert.match(refused[0]?.reason ?? '', /10 files/);
});

test('a file above 25 MB and files above 50 MB together are rejected', () => {
  assert.equal(admitFiles([], [file('a.pdf', ATTACHMENT_MAX_BYTES)]).admitted.length, 1);
  assert.equal(admitFiles([], [file('a.pdf', ATTACHMENT_MAX_BYTES + 1)]).admitted.length, 0);
  const two = [file('a.pdf', ATTACHMENT_MAX_BYTES), file('b.pdf', ATTACHMENT_MAX_BYTES)];
  assert.equal(admitFiles([], two).admitted.length, 2);
  assert.match(admitFiles(two, [file('c.txt', 1)]).refused[0]?.reason ?? '', /together can be up to 50 MB/);
});

test('an empty file is rejected', () => {
  assert.equal(admitFiles([], [file('a.pdf', 0)]).refused.length, 1);
});
