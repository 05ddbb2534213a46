import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserWords, isHandheld } from './devices.ts';

const USER_AGENTS: [string, string][] = [
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    'Safari on Mac',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPhone',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36',
    'Samsung Internet on Android',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['SomethingNew/1.0 (Windows NT 10.0)', 'A browser on Windows'],
  ['node', 'An unknown browser'],
  ['', 'An unknown browser'],
];

for (const [userAgent, words] of USER_AGENTS) {
  test(`a sign-in shows ${words}`, () => assert.equal(browserWords(userAgent), words));
}

test('a sign-in without a user agent shows an unknown browser', () => assert.equal(browserWords(null), browserWords('')));

test('phones are distinguished from desktop computers', () => {
  assert.deepEqual([isHandheld('(iPhone; x)'), isHandheld('(Windows NT 10.0)')], [true, false]);
});
