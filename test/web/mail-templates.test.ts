import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderEmail, TEMPLATES, type TemplateName } from '@case-platform/modules/notifications';
import { Liquid } from 'liquidjs';
import { assertAccessible } from '../support/accessibility.ts';
import { openBrowser, openPage } from '../support/browser.ts';

const FOLDER = join(import.meta.dirname, '../../modules/notifications/email/templates');
const HOSTILE = '<script>document.title = "taken over"</script><img src=x onerror="document.title = 1"> & "Ä"';
const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(6);
const page = await openPage(await openBrowser());

const reading = (extname: string) => new Liquid({ root: FOLDER, extname });
const engines = { html: reading('.html'), txt: reading('.txt') };
/** Returns the variables of a template, including those of its layout and parts. */
const variablesOf = (file: string) => {
  const engine = engines[file.endsWith('.html') ? 'html' : 'txt'];
  return new Set(engine.globalVariablesSync(engine.parseFileSync(file)));
};
/** Returns the variables without the subject, which the HTML uses only as its title. */
const shown = (file: string) => [...variablesOf(file)].filter((name) => name !== 'subject_line').sort();
const isAddress = (name: string) => name.endsWith('url');
const hostileOf = (name: string) => (isAddress(name) ? `http://localhost:3000/?${name}=${LONG}` : `${HOSTILE} ${LONG}`);
const textOf = (name: TemplateName) => name.replace('.html', '.txt');

/** Returns a row of computed styles for each element, in one call to the browser for the whole page. */
const look = (script: string) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('h1, p, a')].flatMap((node) => {
  const style = getComputedStyle(node); ${script} })`);
const withoutStyle = (html: string) => html.replaceAll(/<style>[\s\S]*?<\/style>/g, '');

test('[EMAIL-12] every template in the folder is in the list and has a text part', () => {
  const files = readdirSync(FOLDER).filter((name) => name !== 'parts');
  assert.deepEqual(files.sort(), TEMPLATES.flatMap((name) => [name, textOf(name)]).sort());
});

/** The fields of each item of the lists that templates repeat a part for. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  payments: ['amount', 'category', 'case_name', 'next'],
  moves: ['amount', 'payee', 'category', 'case_name', 'day', 'why'],
};

for (const name of TEMPLATES) {
  const render = (toValue: (variable: string) => string) => {
    const textsOf = (variables: readonly string[]) => Object.fromEntries(variables.map((one) => [one, toValue(one)]));
    const variables = [...variablesOf(name)];
    const context = textsOf(variables.flatMap((variable) => LISTS[variable] ?? variable));
    const lists = variables.flatMap((variable) => {
      const fields = LISTS[variable];
      return fields === undefined ? [] : [[variable, [textsOf(fields), textsOf(fields)]] as const];
    });
    return { context, mail: renderEmail(name, { subject_line: 'x', ...context, ...Object.fromEntries(lists) }) };
  };

  test(`[EMAIL-12] ${name}: the text part says what the HTML says`, async () => {
    assert.deepEqual(shown(textOf(name)), shown(name));
    const { context, mail } = render((variable) =>
      variable === 'count' ? '7' : isAddress(variable) ? `http://x.test/${variable}` : `<${variable}>`,
    );
    const { html, text } = await mail;
    const values = Object.entries(context).filter(([variable]) => variable !== 'subject_line');
    for (const [, value] of values) assert.ok(text.includes(value), value);
    await page.setContent(html);
    for (const part of await page.locator('.quiet').all()) {
      const words = await part.innerText();
      assert.ok(text.includes(words), words);
    }
    assert.doesNotMatch(text, /\n{3}|^\s|<\/?p>|\{%/);
  });

  test(`[EMAIL-12] ${name}: hostile and very long values stay text and fit, narrow and wide, light and dark, with and without <style>`, async () => {
    const { context, mail } = render(hostileOf);
    const { html } = await mail;
    for (const [width, colorScheme] of [[360, 'dark'] as const, [1280, 'light'] as const]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      for (const content of [html, withoutStyle(html)]) {
        await page.setContent(content);
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(wide <= width, `${wide} of ${width} pixels`);
        assert.equal(await page.locator('script, img, iframe, form').count(), 0);
        assert.match(await page.title(), /^<script>/);
        for (const link of await page.locator('a').all()) {
          const address = await link.getAttribute('href');
          assert.ok(Object.values(context).includes(address ?? ''), address ?? '');
        }
        // Without <style> it looks the same (below), and has no dark colors.
        if (content === html) await assertAccessible(page, `${name}, ${width}, ${colorScheme}`);
      }
    }
  });

  test(`[EMAIL-12] ${name}: looks the same without <style>, and keeps its layout in Outlook`, async () => {
    const { mail } = render((variable) => (isAddress(variable) ? `http://x.test/${variable}` : variable));
    const { html } = await mail;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    const drawn = `const { x, y, width, height } = node.getBoundingClientRect();
      return [node.tagName, style.fontFamily, style.fontSize, style.color, style.backgroundColor, x, y, width, height].join(' ');`;
    await page.setContent(html);
    const whole = await look(drawn);
    await page.setContent(withoutStyle(html));
    assert.deepEqual(await look(drawn), whole);
    assert.deepEqual(
      await look("return style.fontFamily.includes('Segoe UI') || style.fontFamily.includes('Menlo') ? [] : [node.outerHTML];"),
      [],
    );
    // Outlook renders with Word, which ignores flex, grid, and max-width. The role tells screen readers that a table is layout.
    assert.doesNotMatch(html, /display:\s*(flex|grid|inline-flex)|position:|float:|<div/);
    for (const [table] of html.matchAll(/<table[^>]*>/g)) assert.match(table, / role="presentation"/);
    for (const [table] of html.matchAll(/<table[^>]*max-width:560px[^>]*>/g)) assert.match(table, / width="560"/);
    assert.match(html, /<!--\[if mso\]><table role="presentation" width="560"[^>]*><tr><td><!\[endif\]-->/);
    assert.equal(html.match(/<table/g)?.length, html.match(/<\/table>/g)?.length);
    assert.ok(html.length < 100_000, 'Gmail cuts off larger mails');
  });
}
