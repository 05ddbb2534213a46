import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSignedOut, markSignedOut, onSignedOut } from './sign-out-marks.ts';

test('[WEB-11] a sign-in that has ended stays ended as long as its cookie could come back', () => {
  markSignedOut('one', 1000, 500);
  for (const [now, expected] of [
    [1000, true],
    [1499, true],
    [1500, false],
    [1501, false],
  ] as const)
    assert.equal(isSignedOut('one', now), expected, String(now));
  assert.equal(isSignedOut('another', 1400), false);
});

test('[WEB-11] outdated marks are removed', () => {
  // This is later than all marks of other tests.
  const day = Date.UTC(2999, 0, 1);
  markSignedOut('early', day, 10);
  markSignedOut('late', day + 1000, 10);
  assert.equal(isSignedOut('early', day + 5), false);
  assert.equal(isSignedOut('late', day + 1005), true);
});

test('[WEB-11] a stream is ended when its sign-in ends', () => {
  const calls: string[] = [];
  onSignedOut('streaming', () => calls.push('stream'));
  onSignedOut('streaming', () => calls.push('forgotten'))();
  onSignedOut('other', () => calls.push('other'));
  markSignedOut('streaming', 1000, 500);
  assert.deepEqual(calls, ['stream']);
});
