import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fuzzing } from '../test/support/hostile/fuzzing.ts';
import { defineCursor, defineIdCursor, idPart, momentPart, textPart, wordPart } from './cursor.ts';
import { InvalidInputError } from './errors.ts';

const byId = defineIdCursor('before');
const byMoment = defineCursor<['at', string, number]>('json', wordPart('at'), momentPart, idPart);
const byName = defineCursor<[string, number]>('json', textPart, idPart);
const encode = (text: string) => Buffer.from(text).toString('base64url');

/** Text that resembles cursors, and text that does not. */
const hostile = fc.oneof(
  fc.string(),
  fc.string().map(encode),
  fc.json().map(encode),
  fc.tuple(fc.constantFrom('before', 'at', ''), fc.string(), fc.string()).map((parts) => encode(parts.join(':'))),
  fc
    .tuple(fc.constantFrom('at', 1, null), fc.string(), fc.oneof(fc.double(), fc.string()))
    .map((parts) => encode(JSON.stringify(parts))),
);

test('[API-2] a cursor is read as it was written, and anything else fails on the field cursor', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.string({ unit: 'grapheme' }), (id, name) => {
      assert.equal(byId.read(byId.write(id)), id);
      assert.deepEqual(byName.read(byName.write(name, id)), [name, id]);
    }),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      for (const { read, write } of [byMoment, byName] as {
        read(text: string): never;
        write(...key: never): string;
      }[]) {
        try {
          assert.equal(write(...(read(text) as never)), text);
        } catch (error) {
          assert.ok(error instanceof InvalidInputError && error.errors[0]?.field === 'cursor', String(error));
        }
      }
    }),
    fuzzing(2000),
  );
});

test('[API-2] only moments that exist are accepted', () => {
  const moment = fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(moment, fc.nat(999), (at, micros) => {
      const text = at
        .toISOString()
        .replace('T', ' ')
        .replace('Z', `${String(micros).padStart(3, '0')}+00`);
      assert.equal(momentPart(text), text);
    }),
  );
  for (const text of [
    '2026-01-01 .+00',
    '2026-01-01 ::+00',
    '2026-01-01 25:00:00+00',
    '2026-01-01 24:00:00+00',
    '2026-01-01 23:60:00+00',
    '2026-02-30 00:00:00+00',
    '0000-01-01 00:00:00+00',
    '9999-12-31 00:00:00+00',
    '2026-01-01 00:00:00.1234567+00',
    '2026-01-01 00:00:00',
    '2026-01-01 00:00:00+99',
    '２０２６-01-01 00:00:00+00',
    '2026-01-01T00:00:00Z',
    'infinity',
    'now',
    ['2026-01-01 00:00:00+00'],
    20260101,
    null,
  ])
    assert.equal(momentPart(text), undefined, String(text));
});

test('[API-2] no other spelling of a cursor is accepted', () => {
  for (const text of [
    'before:0',
    'before:01',
    'before:1e0',
    'before:-1',
    'before:1:2',
    'before: 1',
    'before:0x1',
    'before:9007199254740993',
    'before:１',
    'after:1',
    'before',
    '',
  ])
    assert.throws(() => byId.read(encode(text)), InvalidInputError, text);
  for (const text of [`${byId.write(1)}=`, ` ${byId.write(1)}`, `${byId.write(1)}!`])
    assert.throws(() => byId.read(text), InvalidInputError, text);
  for (const key of [
    '["a\\u0000",1]',
    '["\\ud800",1]',
    '["a",0]',
    '["a",-1]',
    '["a",1.5]',
    '["a",9007199254740992]',
    '[1,1]',
    '["a",true]',
  ])
    assert.throws(() => byName.read(encode(key)), InvalidInputError, key);
  assert.throws(() => byName.read(encode('["a",1,2]')), InvalidInputError);
  assert.throws(() => byName.read(encode('{"0":"a","1":1,"length":2}')), InvalidInputError);
});
