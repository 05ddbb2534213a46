import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderEmail, type TemplateName } from '@case-platform/modules/notifications';
import { assertAccessible } from '../support/accessibility.ts';
import { openBrowser, openPage } from '../support/browser.ts';

const FOLDER = join(import.meta.dirname, '../../modules/notifications/templates');
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.html') && name !== 'layout.html') as TemplateName[];
const HOSTILE = '<script>document.title = "taken over"</script><img src=x onerror="document.title = 1"> & "Ä"';
const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(6);
const page = await openPage(await openBrowser());

const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const variablesOf = (text: string) => new Set([...text.matchAll(/\{\{-? *(\w+)/g)].map(([, name = '']) => name));
const hostileOf = (name: string) =>
  name.endsWith('url') ? `http://localhost:3000/?${name}=${LONG}` : `${HOSTILE} ${LONG}`;

for (const name of NAMES) {
  const html = read(name);
  const text = read(name.replace('.html', '.txt'));

  test(`[Email] ${name}: the text part tells what the HTML tells`, async () => {
    assert.deepEqual([...variablesOf(text)].sort(), [...variablesOf(html)].sort());
    const context = Object.fromEntries(
      [...variablesOf(html)].map((variable) => [variable, variable === 'count' ? 7 : `<${variable}>`]),
    );
    const mail = await renderEmail(name, { ...context, subject_line: 'x' });
    for (const value of Object.values(context)) assert.ok(mail.text.includes(String(value)), String(value));
    await page.setContent(mail.html);
    const footer = await page.locator('.quiet').innerText();
    assert.ok(mail.text.includes(footer), footer);
  });

  test(`[Email] ${name}: hostile and very long values stay text and inside, narrow and wide, light and dark`, async () => {
    const values = Object.fromEntries([...variablesOf(html)].map((variable) => [variable, hostileOf(variable)]));
    const mail = await renderEmail(name, { ...values, subject_line: `${HOSTILE} ${LONG}` });
    for (const [width, colorScheme] of [[360, 'dark'] as const, [1280, 'light'] as const]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.setContent(mail.html);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(wide <= width, `${wide} of ${width} pixels`);
      assert.equal(await page.locator('script, img, iframe, form').count(), 0);
      assert.match(await page.title(), /^<script>/);
      for (const link of await page.locator('a').all()) {
        const address = await link.getAttribute('href');
        assert.ok(Object.values(values).includes(address ?? ''), address ?? '');
      }
      await assertAccessible(page, `${name}, ${width}, ${colorScheme}`);
    }
  });
}
