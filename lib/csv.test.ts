import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvFile } from './csv.ts';

test('[STATEMENT-3] a cell that a spreadsheet would run becomes text, and numbers stay numbers', () => {
  const cells = ['=1+1', '+1 202', '-2', '-2.50', '-x', '@SUM(A1)', '  =1', '＝1', '\u200B=1', '\t=1', 'plain'];
  const expected = ["'=1+1", "'+1 202", '-2', '-2.50', "'-x", "'@SUM(A1)", "'=1", "'＝1", "'=1", "'=1", 'plain'];
  assert.equal(csvFile([cells]), `\uFEFF${expected.join(',')}\r\n`);
});

test('[STATEMENT-3] commas, quotes, and lines stay in their cell', () => {
  assert.equal(csvFile([['a,b', 'say "so"', 'two\nlines', 7, null]]), '\uFEFF"a,b","say ""so""",two lines,7,\r\n');
});
