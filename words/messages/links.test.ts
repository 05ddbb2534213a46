import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fuzzing } from '../../test/support/hostile/fuzzing.ts';
import { splitLinks } from './links.ts';

const linksIn = (text: string) => splitLinks(text).flatMap(({ href }) => href ?? []);

test('[MESSAGE-9] an address is a link without the punctuation and brackets around it', () => {
  const rows: [text: string, ...links: string[]][] = [
    ['See https://x.test/a?b#c. Or (http://x.test/d), please!', 'https://x.test/a?b#c', 'http://x.test/d'],
    ['https://x.test/wiki/Surrogacy_(law)', 'https://x.test/wiki/Surrogacy_(law)'],
    ['(https://x.test/wiki/Surrogacy_(law))', 'https://x.test/wiki/Surrogacy_(law)'],
    ['[https://x.test/a[1]]', 'https://x.test/a[1]'],
    ['“https://x.test/a”', 'https://x.test/a'],
    ["'https://x.test/a'", 'https://x.test/a'],
    ['«https://x.test/a»', 'https://x.test/a'],
    ['HTTPS://X.test/A', 'HTTPS://X.test/A'],
    ['https://x.test/it’s', 'https://x.test/it’s'],
    ['看https://x.test/a。', 'https://x.test/a'],
    ['https://x.test/a…', 'https://x.test/a'],
    ['https://'],
    ['https://)'],
    ['javascript:alert(1) ftp://x.test data:text/html,x'],
  ];
  for (const [text, ...links] of rows) assert.deepEqual(linksIn(text), links, text);
});

test('[MESSAGE-9] the parts of a text are the text, and only web addresses are links', () => {
  const piece = fc.constantFrom('https://', 'x.test/', '(', ')', '. ', '”', 'a', '<b>', '\n', '"', 'http://y.test');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const parts = splitLinks(pieces.join(''));
      assert.equal(parts.map(({ text }) => text).join(''), pieces.join(''));
      for (const { href } of parts) if (href !== null) assert.match(new URL(href).protocol, /^https?:$/);
    }),
    fuzzing(100),
  );
});
