import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceWords } from './account/device-words.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test('a device is named as its owner would', () => {
  const expected: [string | null, string][] = [
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Linux; Android 16; Pixel 9) ${WEBKIT} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox on Linux'],
    ['curl/8.5.0', 'Unknown device'],
    ['', 'Unknown device'],
    [null, 'Unknown device'],
  ];
  for (const [userAgent, words] of expected) assert.equal(deviceWords(userAgent), words);
});
