import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixQuery, termQuery } from './search-query.ts';
import { searchVector } from './search-vector.ts';

for (const [text, query] of [
  ['Case 1', "('case':*) & ('1':*)"],
  ["O'Neil-Müller", "(('o' <-> 'neil' <-> 'muller':* | 'oneilmuller':*))"],
  ["'); drop table | & ! :*", "('drop':*) & ('table':*)"],
  ['jane@mail.test', "('jane' <-> 'mail' <-> 'test':*)"],
  ['a b c d e f g h i', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((word) => `('${word}':*)`).join(' & ')],
  ['  ', null],
  ['!&|', null],
] as const)
  test(`[API-6] "${text}" is searched for as ${query}`, () => assert.equal(prefixQuery(text), query));

test('[API-6] the words of a text do not depend on punctuation, case, accents, and the locale of the database', () => {
  for (const [text, words] of [
    ['She wrote “starling payment”', "'she':1 'wrote':2 'starling':3 'payment':4"],
    ['rent—kestrel', "'rent':1 'kestrel':2 'rentkestrel':1,2"],
    ['•plover', "'plover':1"],
    ['Sarah’s', "'sarah':1 's':2 'sarahs':1,2"],
    ['Cafe\u0301 CAFÉ', "'cafe':1,2"],
    ['wife/husband', "'wife':1 'husband':2"],
    ['ÆØÅ Straße ŒUVRE Łódź', "'aeoa':1 'strasse':2 'oeuvre':3 'lodz':4"],
    ['ＡＢ１２ ﬁne', "'ab12':1 'fine':2"],
    ['ΟΔΟΣ οδός', "'οδοσ':1,2"],
    ['مُحَمَّد', "'محمد':1"],
    ['中文课', "'中文':1 '文课':2 '课':3"],
    ['हिन्दी', "'हिन्दी':1"],
    ['がく', "'がく':1 'く':2"],
    ["\\'", ''],
  ] as const)
    assert.equal(searchVector(text), words, text);
  assert.equal(searchVector({ text: 'Ann Lee', weight: 'A' }, 'al@x.test'), "'ann':1A 'lee':2A 'al':3 'x':4 'test':5");
  assert.equal(termQuery('中文', { isPrefix: false }), "('中文' <-> '文':* | '中文':*)");
});
