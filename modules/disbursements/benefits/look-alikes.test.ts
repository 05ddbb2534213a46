import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findForeignLetter, looksOf } from './look-alikes.ts';

test('[CATEGORY-2] names that look like Childcare are the same name', () => {
  const names = ['childcare', 'Childcare.', ' CHILDCARE ', 'Child care', 'Child-care!', 'Ｃｈｉｌｄｃａｒｅ', 'Chíldcaré'];
  for (const name of [...names, 'ChiIdcare', 'Chi1dcare', 'Chi|dcare']) assert.equal(looksOf(name), looksOf('Childcare'), name);
  for (const name of ['Childcare abroad', 'Travel', 'Child', '']) assert.notEqual(looksOf(name), looksOf('Childcare'), name);
  assert.notEqual(looksOf('€'), looksOf('£'), 'names that consist only of signs differ by these');
});

test('[CATEGORY-2] a letter of another alphabet is found among Latin ones only', () => {
  const foreign: [string, string | null][] = [
    ['Childc\u0430re', '\u0430'],
    ['\u0421hildcare', '\u0421'],
    ['Tr\u03b1vel', '\u03b1'],
    ['Tr\u0251vel', '\u0251'],
    ['Ch\u0131ldcare', '\u0131'],
    ['Childcare', null],
    ['Crèche à la carte', null],
    ['Größe 2', null],
    ['Уход за детьми', null],
    ['保育', null],
    ['€', null],
  ];
  for (const [name, expected] of foreign) assert.equal(findForeignLetter(name), expected, name);
});
