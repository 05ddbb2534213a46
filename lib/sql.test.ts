import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allOf, anyOf, limitTo, listOf, NO_SQL, rowsFor, Sql, sql, trustedSql, unionOf } from './sql.ts';

test('a piece brings its parameters to every place where it is used', () => {
  const mine = sql`c.owner_id = ${7}`;
  const open = sql`c.status = ${'open'}`;
  const page = sql`select ${trustedSql('c.id')} from chain c where ${allOf([mine, anyOf([open, mine])])} limit ${25}`;
  assert.equal(
    page.text.replaceAll(/\s+/g, ' '),
    'select c.id from chain c where c.owner_id = $1 and (c.status = $2 or c.owner_id = $3) limit $4',
  );
  assert.deepEqual(page.parameters, [7, 'open', 7, 25]);
});

test('without conditions, anyOf is false and allOf is true', () => {
  assert.deepEqual([anyOf([]).text, allOf([]).text, listOf([]).text, NO_SQL.text], ['false', 'true', '', '']);
});

test('any text is a parameter, and undefined is rejected', () => {
  const hostile = sql`select ${"'; drop table message; -- $1"}`;
  assert.deepEqual([hostile.text, hostile.parameters], ['select $1', ["'; drop table message; -- $1"]]);
  assert.throws(() => `${sql`select ${1}`}`, /a piece of SQL in a plain text: "select \$1"/);
  assert.throws(() => new Sql(['a ', ''], [undefined as unknown as null]), /undefined is not a parameter: after "a "/);
});

test('a limit is a whole number in the text, and pages of any size read few numbers of rows', () => {
  assert.deepEqual([limitTo(26).text, limitTo(26).parameters], ['limit 26', []]);
  const noNumbers: number[] = [1.5, Number.NaN, JSON.parse('"1; drop table message"')];
  for (const rows of noNumbers) assert.throws(() => limitTo(rows), TypeError);
  const sizes = Array.from({ length: 100 }, (_, at) => at + 1);
  assert.deepEqual([...new Set(sizes.map(rowsFor))], [2, 6, 11, 26, 51, 101]);
  assert.deepEqual(
    sizes.filter((size) => rowsFor(size) <= size),
    [],
  );
  assert.equal(rowsFor(200), 201);
});

/** Pieces within pieces; each parameter has its own number. */
const piece = fc.letrec<{ piece: Sql }>((tie) => ({
  piece: fc.oneof(
    { depthSize: 'small' },
    fc.integer().map((value) => sql`[${value}]`),
    fc.constant(trustedSql('x')),
    fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => sql`(${unionOf(pieces)})`),
    fc.tuple(tie('piece'), tie('piece')).map(([one, other]) => sql`${one}${other}`),
  ),
})).piece;

test('in any combination, the numbers count up and each refers to its own parameter', () => {
  fc.assert(
    fc.property(piece, (whole) => {
      const numbers = [...whole.text.matchAll(/\$(\d+)/g)].map((match) => Number(match[1]));
      assert.deepEqual(
        numbers,
        whole.parameters.map((_, at) => at + 1),
      );
    }),
  );
});
