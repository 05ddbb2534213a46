import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HtmlValue, html, joinHtml, trustedHtml } from './html.ts';

const shown = (value: HtmlValue) => String(html`${value}`);

test('text is escaped in every place, and markup is not', () => {
  const text = `<img src=x onerror='alert("1")'> & more`;
  const escaped = '&#60;img src&#61;x onerror&#61;&#39;alert(&#34;1&#34;)&#39;&#62; &#38; more';
  assert.equal(shown(text), escaped);
  assert.equal(String(html`<p title="${text}">${text}</p>`), `<p title="${escaped}">${escaped}</p>`);
  assert.equal(shown(html`<b>${text}</b>`), `<b>${escaped}</b>`);
  assert.equal(shown(trustedHtml('<svg/>')), '<svg/>');
});

test('markup that was converted to a string is escaped like text', () => {
  const markup = html`<b>1</b>`;
  assert.equal(shown(`${markup}`), '&#60;b&#62;1&#60;/b&#62;');
  assert.equal(shown([markup, markup].join('')), '&#60;b&#62;1&#60;/b&#62;'.repeat(2));
});

test('objects that only look like markup are escaped', () => {
  const forged = { markup: '<b>', toString: () => '<b>' } as unknown as HtmlValue;
  assert.equal(shown(forged), '&#60;b&#62;');
  const bare = Object.create(Object.getPrototypeOf(html``)) as HtmlValue;
  assert.throws(() => shown(bare), TypeError);
});

test('lists are joined, and missing values show nothing', () => {
  assert.equal(shown(['<', html`<i></i>`, ['>', null]]), '&#60;<i></i>&#62;');
  for (const missing of [null, undefined, false, '', []] as const) assert.equal(String(html`a${missing}b`), 'ab');
  assert.equal(String(html`${0} ${-1.5}`), '0 -1.5');
  assert.equal(String(joinHtml([html`<b>1</b>`, '<'], ' · ')), '<b>1</b> · &#60;');
  assert.equal(String(joinHtml(['a', 'b'], html`<br>`)), 'a<br>b');
  assert.equal(String(joinHtml(['a', 'b'], '<br>')), 'a&#60;br&#62;b');
  assert.deepEqual(
    [[], ['a'], ['a', 'b']].map((values) => String(joinHtml(values, null))),
    ['', 'a', 'ab'],
  );
});

test('backslashes of a template stay as they are written', () => {
  assert.equal(String(html`<input pattern="\s*\d{6}">`), '<input pattern="\\s*\\d{6}">');
});
