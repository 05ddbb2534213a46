import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeWords } from '@case-platform/words/files';
import { admitFiles, fileTypeWords, MOST_BYTES_A_FILE } from './file-limits.ts';

const file = (name: string, size = 1000) => ({ name, size });

test('files of the allowed types are taken, whatever the case of their names', () => {
  const names = ['a.pdf', 'b.JPG', 'c.jpeg', 'd.png', 'e.gif', 'f.webp', 'g.heic', 'h.txt', 'i.csv', 'j.docx'];
  assert.equal(
    admitFiles(
      [],
      names.map((name) => file(name)),
    ).admitted.length,
    10,
  );
  for (const name of ['k.doc', 'l.xls', 'm.xlsx']) assert.notEqual(fileTypeWords(name), null);
});

test('files that could run somewhere are not', () => {
  for (const name of ['a.exe', 'b.svg', 'c.html', 'pdf', 'd.pdf.js', '.', '']) {
    assert.equal(admitFiles([], [file(name)]).admitted.length, 0, name);
  }
});

test('ten files are the most, counted with those already there', () => {
  const present = Array.from({ length: 9 }, (_, index) => file(`${index}.pdf`));
  const { admitted, refused } = admitFiles(present, [file('tenth.pdf'), file('eleventh.pdf')]);
  assert.deepEqual(
    admitted.map(({ name }) => name),
    ['tenth.pdf'],
  );
  assert.match(refused[0]?.reason ?? '', /10 files/);
});

test('a file has at most 25 MiB, and all together 50', () => {
  assert.equal(admitFiles([], [file('a.pdf', MOST_BYTES_A_FILE)]).admitted.length, 1);
  assert.equal(admitFiles([], [file('a.pdf', MOST_BYTES_A_FILE + 1)]).admitted.length, 0);
  const two = [file('a.pdf', MOST_BYTES_A_FILE), file('b.pdf', MOST_BYTES_A_FILE)];
  assert.equal(admitFiles([], two).admitted.length, 2);
  assert.match(admitFiles(two, [file('c.txt', 1)]).refused[0]?.reason ?? '', /50 MiB together/);
});

test('an empty file is not sent', () => assert.equal(admitFiles([], [file('a.pdf', 0)]).refused.length, 1));

test('sizes are told as people read them', () => {
  assert.equal(sizeWords(12), '12 bytes');
  assert.equal(sizeWords(284_331), '278 KB');
  assert.equal(sizeWords(26_214_400), '25.0 MB');
});
