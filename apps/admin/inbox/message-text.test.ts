import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageText } from './message-text.ts';

const shown = (text: string) => String(messageText(text));
const textOf = (markup: string) => markup.replaceAll(/<[^>]+>/g, '');
const linksOf = (markup: string) => [...markup.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href);

test('a web address becomes a link that tells the other site nothing; the end of the sentence is no part of it', () => {
  const markup = shown('See https://example.com/a?b#c. Or (http://example.com/d), please!');
  assert.deepEqual(
    linksOf(markup).map((href) => href?.replaceAll('&#61;', '=')),
    ['https://example.com/a?b#c', 'http://example.com/d'],
  );
  assert.equal(markup.match(/rel="noreferrer noopener"/g)?.length, 2);
  assert.match(textOf(markup), /^See https:\/\/example\.com\/a\?b#c\. Or \(/);
});

test('nothing else becomes a link, and nothing is read as markup', () => {
  for (const text of ['javascript:alert(1)', 'ftp://example.com', 'https://', '<b>bold</b>', 'data:text/html,<script>']) {
    assert.deepEqual(linksOf(shown(text)), [], text);
  }
  assert.doesNotMatch(shown('https://example.com/"onclick="alert(1) <img src=x>'), /<img|"onclick/);
});
