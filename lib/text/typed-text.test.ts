import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InvalidInputError } from '../errors.ts';
import { parseCell, parseLine, parseName, parseText } from './typed-text.ts';

const FIELD = { field: 'name', label: 'The name' };
const PARSERS = { parseText, parseLine, parseCell, parseName };

/** The text, or the one error on the field. */
function resultOf(parse: () => string): string {
  try {
    return parse();
  } catch (error) {
    assert.ok(
      error instanceof InvalidInputError && error.errors.length === 1 && error.errors[0]?.field === 'name',
      String(error),
    );
    return `error: ${error.errors[0].message}`;
  }
}

test('[ACCOUNT-3] a text has up to its number of visible characters, each of which counts as one, however it is stored', () => {
  const long = (max: number) => `error: The name can have up to ${max.toLocaleString('en-US')} characters.`;
  fc.assert(
    fc.property(fc.constantFrom('a', 'é', '漢', '😀', '𝒳'), fc.constantFrom(1, 2, 60, 999, 1000, 10_000), (sign, max) => {
      for (const parse of Object.values(PARSERS)) {
        const field = { ...FIELD, max };
        const of = (count: number, around = '') => resultOf(() => parse(around + sign.repeat(count) + around, field));
        assert.deepEqual([of(max - 1), of(max), of(max + 1)], [sign.repeat(max - 1), sign.repeat(max), long(max)]);
        assert.equal(of(max, ' \u200b\n'), sign.repeat(max), 'what is not stored does not count');
      }
    }),
    { numRuns: 20 },
  );
});

test('[ACCOUNT-3] a text without visible characters is rejected where one is needed, and is empty elsewhere', () => {
  for (const parse of Object.values(PARSERS)) {
    for (const text of ['', ' ', '\n\t', '\u200b', '\u2800']) {
      assert.equal(
        resultOf(() => parse(text, { ...FIELD, max: 1, empty: 'Enter a name.' })),
        'error: Enter a name.',
      );
      assert.equal(
        resultOf(() => parse(text, { ...FIELD, max: 1 })),
        '',
      );
    }
  }
});

test('[ACCOUNT-4, EMAIL-12] only a cell and a name reject a formula, only a name rejects a link, and only a text keeps its lines', () => {
  const formula = 'error: The name can’t start with =.';
  const link = 'error: A name can’t contain a web or email address. Put a space after each period.';
  const rows: [text: string, results: [text: string, line: string, cell: string, name: string]][] = [
    ['=1+1', ['=1+1', '=1+1', formula, formula]],
    ['a.test/x', ['a.test/x', 'a.test/x', 'a.test/x', link]],
    ['one\n two', ['one\n two', 'one two', 'one two', 'one two']],
  ];
  for (const [text, results] of rows) {
    const all = Object.values(PARSERS).map((parse) => resultOf(() => parse(text, { ...FIELD, max: 100 })));
    assert.deepEqual(all, results, text);
  }
});
