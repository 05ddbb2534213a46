import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitPayload, PAYLOAD_MAX_BYTES, type PushPayload } from './push-payload.ts';

const payload = (body: string): PushPayload => ({
  title: 'New message',
  body,
  icon: '/icon-192.png',
  data: { url: '/messages/1' },
  tag: 'message-1',
  requireInteraction: false,
  vibrate: [200],
});
const size = (value: object) => Buffer.byteLength(JSON.stringify(value));

test('a payload that fits is not changed', () => {
  assert.deepEqual(fitPayload(payload('Someone wrote to you.')), payload('Someone wrote to you.'));
});

test('only the body is shortened if a payload is too long, at a whole character', () => {
  for (const unit of ['a', '€', '👩‍👩‍👧‍👦', '"', 'e\u0301']) {
    const fitted = fitPayload(payload(unit.repeat(4000)));
    assert.ok(size(fitted) <= PAYLOAD_MAX_BYTES && size(fitted) > PAYLOAD_MAX_BYTES - 60, unit);
    assert.ok(fitted.body.endsWith('…') && fitted.body.isWellFormed());
    assert.equal(fitted.body.slice(0, -1).replaceAll(unit, ''), '', 'no partial character');
    assert.deepEqual({ ...fitted, body: '' }, payload(''));
  }
});

test('for any body, the payload fits and is well-formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 3000 }), (body) => {
      const fitted = fitPayload(payload(body));
      assert.ok(size(fitted) <= PAYLOAD_MAX_BYTES);
      assert.ok(fitted.body === body || body.startsWith(fitted.body.slice(0, -1)));
    }),
    { numRuns: 50 },
  );
});

test('a payload that is too large without its body is rejected', () => {
  assert.throws(() => fitPayload({ ...payload('x'), title: 'x'.repeat(4000) }), /too large/);
});
