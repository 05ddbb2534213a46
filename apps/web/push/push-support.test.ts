import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointDigest, isSubscribedWithKey, keyBytes } from './push-keys.ts';
import { parseOwner } from './push-owner.ts';
import { type PushEnvironment, pushSupport } from './push-support.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Safari/604.1';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.6 Safari/605.1.15';
const desk: PushEnvironment = {
  userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:153.0) Gecko/20100101 Firefox/153.0',
  touchPoints: 0,
  standalone: false,
  hasPush: true,
  permission: 'default',
};

test('each obstacle to notifications has its own result', () => {
  assert.equal(pushSupport(desk), 'available');
  assert.equal(pushSupport({ ...desk, permission: 'granted' }), 'available');
  assert.equal(pushSupport({ ...desk, permission: 'denied' }), 'denied');
  assert.equal(pushSupport({ ...desk, hasPush: false }), 'unsupported');
});

test('a person with an iPhone or iPad reads about the home screen first, one with a Mac does not', () => {
  const apple = { ...desk, hasPush: false, userAgent: IPHONE, touchPoints: 5 };
  assert.equal(pushSupport(apple), 'needs_home_screen');
  assert.equal(pushSupport({ ...apple, userAgent: MAC }), 'needs_home_screen');
  assert.equal(pushSupport({ ...apple, userAgent: MAC, touchPoints: 2 }), 'needs_home_screen');
  // A Mac with a trackpad may report one touch point.
  for (const touchPoints of [0, 1]) assert.equal(pushSupport({ ...apple, userAgent: MAC, touchPoints }), 'unsupported');
  for (const name of ['iPhone', 'iPad', 'iPod'])
    assert.equal(pushSupport({ ...apple, userAgent: `Mozilla/5.0 (${name}; x)`, touchPoints: 0 }), 'needs_home_screen');
  assert.equal(pushSupport({ ...apple, standalone: true }), 'unsupported');
  assert.equal(pushSupport({ ...apple, standalone: true, hasPush: true }), 'available');
});

test('a subscription made with another VAPID key is recognized', () => {
  const key = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0xfb)]);
  const { buffer } = keyBytes(key.toString('base64url'));
  assert.equal(isSubscribedWithKey(buffer, key.toString('base64url')), true);
  assert.equal(isSubscribedWithKey(buffer, Buffer.alloc(65, 4).toString('base64url')), false);
  assert.equal(isSubscribedWithKey(null, key.toString('base64url')), true);
});

test('an endpoint is identified by its SHA-256 in hexadecimal', async () => {
  assert.equal(await endpointDigest('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a stored value of another form is ignored', () => {
  assert.deepEqual(parseOwner('{"user_id":7,"digest":"aa"}'), { user_id: 7, digest: 'aa' });
  for (const foreign of [null, '', 'x', '7', '{}', '{"user_id":"7","digest":"aa"}']) {
    assert.equal(parseOwner(foreign), null, String(foreign));
  }
});
