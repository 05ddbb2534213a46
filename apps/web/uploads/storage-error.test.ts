import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storageErrorWords } from './storage-error.ts';

const xml = (code: string, message = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

const cases: [what: string, status: number, body: string, words: RegExp][] = [
  ['too large', 400, xml('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size'), /too large/],
  ['too small', 400, xml('EntityTooSmall'), /empty/],
  ['an expired policy', 403, xml('AccessDenied', 'Invalid according to Policy: Policy expired.'), /took too long/],
  ['another refusal', 403, xml('AccessDenied', 'Access Denied'), /couldn’t upload/],
  ['a bad signature', 403, xml('SignatureDoesNotMatch'), /couldn’t upload/],
  ['a broken connection', 400, xml('IncompleteBody'), /connection dropped/],
  ['a busy store', 503, xml('SlowDown'), /busy/],
  ['a slow connection', 400, xml('RequestTimeout'), /too slow/],
  ['a broken form', 400, xml('MalformedPOSTRequest'), /arrived incomplete/],
  ['an unknown key', 403, xml('InvalidAccessKeyId'), /couldn’t upload/],
  ['a broken policy', 400, xml('InvalidPolicyDocument'), /couldn’t upload/],
  ['a store with a fault', 500, xml('InternalError'), /has a problem/],
  ['a store that is away', 503, xml('ServiceUnavailable'), /busy/],
  ['the first of the servers’ errors', 500, '', /busy/],
  ['the last of the others', 499, '', /didn’t accept/],
  ['another error with the word', 400, xml('SomethingNew', 'expired'), /\(SomethingNew\)/],
  ['an unknown code', 400, xml('SomethingNew'), /\(SomethingNew\)/],
  ["a proxy's page instead", 502, '<html><h1>Bad gateway</h1></html>', /busy/],
  ["a proxy's limit", 413, '<html>too large</html>', /too large/],
  ['nothing at all', 400, '', /didn’t accept/],
];

for (const [what, status, body, words] of cases) {
  test(`[UPLOAD-6] a rejected upload becomes a sentence: ${what}`, () => {
    const sentence = storageErrorWords(status, body);
    assert.match(sentence, words);
    assert.match(sentence, /\.$/);
    assert.doesNotMatch(sentence, /[<>]/);
  });
}
