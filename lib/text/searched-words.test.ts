import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compoundsOf, findWords } from './searched-words.ts';

const wordsOf = (text: string) =>
  [...compoundsOf(text)].flatMap(({ words, whole }) => (whole === null ? words : [...words, whole]));
const markedIn = (text: string, search: string) => [...findWords(text, search)].map(({ start, end }) => text.slice(start, end));

test('[API-12] forms of one letter make no difference, in any script', () => {
  for (const [one, other] of [
    ['ΟΔΌΣ', 'οδός'],
    ['محمـــد', 'محمد'],
    ['Đorđe', 'dorde'],
    ['Ðóra', 'dora'],
    ['Þór', 'thor'],
    ['Ħal', 'hal'],
    ['Ŧ', 't'],
    ['Ŋ', 'n'],
    ['œuf', 'OEUF'],
    ['æra', 'AERA'],
    ['Øre', 'ore'],
    ['Łódź', 'lodz'],
    ['שָׁלוֹם', 'שלום'],
    ['ﬁne ½ cup', 'fine cup'],
    ['ex\u00ADample', 'example'],
  ] as const)
    assert.deepEqual(wordsOf(one), wordsOf(other), one);
  for (const [one, other] of [
    ['か', 'が'],
    ['कि', 'क'],
  ] as const)
    assert.notDeepEqual(wordsOf(one), wordsOf(other), `${one} is another word`);
});

test('[API-6] a word has up to 64 characters, and a longer one is found by these', () => {
  for (const sign of ['a', 'щ', '𝟏', '𐐨']) {
    const longest = wordsOf(sign.repeat(64))[0] ?? '';
    assert.equal([...longest].length, 64, sign);
    assert.deepEqual(wordsOf(sign.repeat(65)), [longest]);
    assert.equal([...(wordsOf(sign.repeat(63))[0] ?? '')].length, 63);
    assert.ok(longest.isWellFormed());
  }
  assert.deepEqual(wordsOf(`${'a'.repeat(40)}-${'b'.repeat(40)}`).at(-1), 'a'.repeat(40) + 'b'.repeat(24));
});

test('[API-6] the marked places are whole words, or in scripts without spaces just what was searched for', () => {
  for (const [text, search, marked] of [
    ['Payment paid, PAY later', 'pay', ['Payment', 'PAY']],
    ["O'Brien and Obrien", 'obrien', ["O'Brien", 'Obrien']],
    ["O'Brien", 'brien', ["O'Brien"]],
    ['今日は良い天気です', '良い天気', ['良い天気']],
    ['中文课和中文书', '中文', ['中文']],
    ['Zahlung für Müller', 'muller', ['Müller']],
    ['nothing here', 'else', []],
    ['nothing here', '', []],
  ] as const)
    assert.deepEqual(markedIn(text, search), marked, `${search} in ${text}`);
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  fc.assert(
    fc.property(text, text, (before, search) => {
      let last = 0;
      for (const { start, end } of findWords(`${before} ${search}`, search)) {
        assert.ok(start >= last && end > start && end <= before.length + 1 + search.length);
        last = end;
      }
      assert.equal([...findWords(`${before} ${search}`, search)].length > 0, wordsOf(search).length > 0, 'it finds itself');
    }),
  );
});
