import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readProofCode, writeProofCode } from './proof-code.ts';

const SECRET = 'a secret of these tests, long enough to be one';
const statement = fc.record(
  {
    id: fc.option(fc.integer({ min: 1, max: 2 ** 40 })),
    case_id: fc.integer({ min: 1, max: 2 ** 40 }),
    amount_cents: fc.integer({ min: 1, max: 1e13 }),
    made_at: fc.integer({ min: 0, max: 30_000_000 }).map((minute) => new Date(Date.parse('2020-01-01') + minute * 60_000)),
  },
  { noNullPrototype: true },
);

test('[PROOF-1] a code contains what was stated, in any way of typing it', () => {
  fc.assert(
    fc.property(statement, (stated) => {
      const code = writeProofCode(SECRET, stated);
      const typings = [code, code.toLowerCase(), code.replaceAll('-', ''), code.replaceAll('0', 'o').replaceAll('1', 'l')];
      for (const typed of typings) assert.deepEqual(readProofCode(SECRET, typed), stated);
    }),
  );
});

test('[PROOF-3] a code that was changed in one character, shortened, or sealed with another secret says nothing', () => {
  fc.assert(
    fc.property(statement, fc.nat(), fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZU'), (stated, at, sign) => {
      const code = writeProofCode(SECRET, stated).replaceAll('-', '');
      const place = at % code.length;
      const altered = code.slice(0, place) + sign + code.slice(place + 1);
      assert.deepEqual(readProofCode(SECRET, altered), altered === code ? stated : null);
      for (const other of [code.slice(0, place), `${code}0`, `0${code}`, '']) assert.equal(readProofCode(SECRET, other), null);
      assert.equal(readProofCode(`${SECRET}.`, code), null);
    }),
    { numRuns: 300 },
  );
});

test('[PROOF-1, OPERATE-3] a code survives a change of the secret for as long as the previous one is configured', () => {
  const stated = { id: 42, case_id: 7, amount_cents: 1_234_567, made_at: new Date('2026-11-20') };
  const before = writeProofCode('the previous secret', stated);
  assert.deepEqual(readProofCode([SECRET, 'the previous secret'], before), stated);
  assert.equal(readProofCode(SECRET, before), null);
  assert.notEqual(writeProofCode([SECRET, 'the previous secret'], stated), before);
  assert.ok(before.length <= 40, 'short enough to be typed');
});
