import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanLine, cleanText, hasAddress, isBlank, isFormula, withoutLinks } from './human-text.ts';

const INVISIBLE = [
  '\u00AD',
  '\u034F',
  '\u061C',
  '\u115F',
  '\u180E',
  '\u200B',
  '\u200C',
  '\u200D',
  '\u200E',
  '\u200F',
  '\u2028',
  '\u2029',
  '\u202A',
  '\u202B',
  '\u202C',
  '\u202D',
  '\u202E',
  '\u2060',
  '\u2064',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\u206A',
  '\u3164',
  '\uFE0E',
  '\uFE0F',
  '\uFEFF',
  '\uFFA0',
  '\uFFF9',
  '\uFFFB',
  '\u{E0041}',
  '\u{E0100}',
  '\u0000',
  '\u0007',
  '\u001B',
  '\u007F',
  '\u0085',
];

test('invisible characters, and those that change the direction of text, are removed', () => {
  for (const sign of INVISIBLE) {
    const at = `U+${sign.codePointAt(0)?.toString(16)}`;
    assert.match(cleanLine(`An${sign}na`), /^An ?na$/, at);
    assert.equal(cleanLine(`${sign}Anna${sign}`), 'Anna', at);
    assert.equal(cleanLine(sign), '', at);
    if (sign !== '\0') assert.match(cleanText(`An${sign}na`), /^An\n?na$/, at);
  }
  assert.equal(cleanLine('fdp\u202Eexe.pdf'), 'fdpexe.pdf');
});

test('visible text stays: letters of all scripts, joined words, pictures, lines', () => {
  const flag = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}';
  const pictures = ['👨‍👩‍👧 🏳️‍🌈 👩🏽‍⚕️ 1️⃣ ❤️', `Flag of Scotland: ${flag}${flag}!`];
  for (const text of ['Zoë Å.', 'می‌خواهم', 'क्‍ष', ...pictures, 'שלום', '日本語', '葛\u{E0100}城', 'O’Brien-Łukasz', '⠓⠊⠀⠽⠕⠥'])
    assert.equal(cleanLine(text), text.normalize('NFC'), text);
  for (const part of [`x${flag.slice(2)}`, flag.slice(0, -2), `\u{1F3F4}\u{E0067}\u{E007F}`])
    assert.doesNotMatch(cleanLine(part), /[\u{E0000}-\u{E007F}]/u, 'tags that belong to no flag');
  assert.equal(cleanText('one\r\n\ttwo\rthree\u2028four\n'), 'one\n\ttwo\nthree\nfour');
  assert.equal(cleanLine('  one \t\n two  '), 'one two');
  assert.equal(cleanLine('Zoe\u0308'), 'Zoë', 'equal texts are equal');
  assert.equal(cleanLine('\ud800x'), '\ufffdx', 'a lone surrogate is replaced');
});

test('[ACCOUNT-3] a text of nothing that is visible is empty', () => {
  for (const text of ['\u2800', ' \u2800\n\u2800', '\u200B \u2800', '\u{E0067}'])
    assert.ok(cleanText(text) === '' && isBlank(text));
});

test('[ACCOUNT-3] normalizing a text twice changes nothing more', () => {
  const unit = fc.oneof(
    fc.constantFrom(...'x1e❤🏴葛क', '\u0301', '\uFE0F', '\u200D', '\u200B', '\u{E0067}', '\u{E007F}', '\u{E0100}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const text = cleanText(units.join(''));
      assert.equal(cleanText(text), text);
      assert.equal(cleanLine(cleanLine(text)), cleanLine(text));
    }),
    { numRuns: 300 },
  );
});

test('a formula is recognized behind any prefix, and in any width', () => {
  for (const sign of '=+-@＝＋－＠﹢﹣﹦﹫⁺⁼')
    for (const before of ['', ' ', '\t', '\u200B', '\u202E', '\uFEFF '])
      assert.ok(isFormula(`${before}${sign}cmd()`), `${before}${sign}`);
  for (const text of ['Anna', 'a=b', '(=1)', '', '1+1', '“quoted”']) assert.ok(!isFormula(text), text);
});

test('a NUL leaves no gap on one line, and is left to the database to reject on several', () => {
  assert.equal(cleanLine('a\0b'), 'ab');
  assert.equal(cleanText('a\0b'), 'a\0b');
});

test('an address in a text is found, and mail programs do not recognize it once it is broken', () => {
  /** Mail programs look for a scheme, or a domain with a known ending. */
  const isLinked = (text: string) => /https?:\/\/|[\p{L}\p{N}-]+[.。．｡․](com|net|org|test|example|xn--)|\S@\S+\.\w/iu.test(text);
  for (const address of [
    'https://evil.example/x',
    'http://1.2.3.4/x',
    'evil.com',
    'www.evil.com',
    'EVIL。COM',
    'a.evil．net/x?y',
    'mallory@evil.com',
    'evil.xn--p1ai',
    'http://evil',
  ]) {
    const text = `Pay at ${address} now`;
    assert.ok(hasAddress(text), address);
    assert.ok(!isLinked(withoutLinks(text)), address);
    assert.equal(withoutLinks(text).replaceAll('\u2060', ''), text);
  }
  for (const text of ['J.R. Smith', 'Mary Ann O’Neil', 'St. James', 'No. 5', '$1,234.56', 'At 2:07 PM. Then', 'Dr. Lee']) {
    assert.ok(!hasAddress(text), text);
    assert.equal(withoutLinks(text).replaceAll('\u2060', ''), text);
  }
});
