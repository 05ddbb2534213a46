import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { storableId } from './exact-text.ts';

const unit = fc.constantFrom('a', 'A', 'é', 'e\u0301', '\uFFFD', '\uD800', '\uDFFF', '\u0000', '\u200B', '😀');
const id = fc.array(unit, { minLength: 1, maxLength: 6 }).map((units) => units.join(''));

test('two different ids are stored as two texts that the database accepts, with any characters', () => {
  fc.assert(
    fc.property(id, id, (one, other) => {
      const [stored, ...rest] = [one, other].map((each) => storableId(each, 4));
      assert.equal(rest[0] === stored, one === other);
      assert.ok(stored?.isWellFormed() && !stored.includes('\0'));
    }),
  );
  assert.equal(storableId('x'.repeat(300), 300), 'x'.repeat(300));
  assert.notEqual(storableId(`${'x'.repeat(300)}a`, 300), storableId(`${'x'.repeat(300)}b`, 300));
  const signs = ['\ud800', '\ud801', '\udc00', '\ufffd', '\0', '\\u0000', ''];
  assert.equal(
    new Set(signs.map((sign) => storableId(sign, 300))).size,
    signs.length,
    'what a hash would replace stays different',
  );
});
