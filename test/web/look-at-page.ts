import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Row } from './page-table.ts';
import { assertMarkupKept } from './server-markup.ts';

/** The most JavaScript that a page may load, compressed. */
const SCRIPTS_MAX_KIB = 184;
/** Runs in the page after its idle fetches, and sums up the bytes of its scripts. */
const SCRIPT_BYTES = `new Promise((resolve) => requestIdleCallback(resolve, { timeout: 6000 })).then(() => performance
  .getEntriesByType('resource')
  .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0))`;

/** The values of all forms of the page. */
const FIELDS = 'Object.assign({}, ...[...document.forms].map((form) => Object.fromEntries(new FormData(form))))';

/** Loads a page and checks its heading, title, forms, and size of scripts, and that React keeps the server's markup. */
export async function lookAtPage(page: Page & { faults: string[] }, address: string, { h1, values = {} }: Row): Promise<void> {
  const answer = await page.goto(address);
  await page.getByRole('heading', { level: 1, name: h1 }).filter({ visible: true }).first().waitFor();
  await page.locator(':is(.skeleton-line, .skeleton-box, .skeleton-circle):visible').first().waitFor({ state: 'detached' });
  const kib = (await page.evaluate<number>(SCRIPT_BYTES)) / 1024;
  assert.ok(kib > 50 && kib <= SCRIPTS_MAX_KIB, `${kib.toFixed(1)} KiB of JavaScript`);
  const fields = await page.evaluate<Record<string, string>>(FIELDS);
  assert.deepEqual({ ...fields, ...values }, fields, 'the form is filled in');
  const isMissing = answer?.status() === 404;
  await assertMarkupKept(page, { isMissing });
  assert.match(await page.title(), /^(\(\d+\) )?.+ · Case Platform$/);
  if (!isMissing)
    assert.doesNotMatch(
      await page.title(),
      /^(\(\d+\) )?(Case|Request|Statement|Proofs of funds|Conversation|Change the request) ·/,
      'the title names the one shown',
    );
  const faults = page.faults.splice(0);
  assert.deepEqual(
    faults.filter((fault) => !isMissing || !/ 404 /.test(fault)),
    [],
  );
}

/** Requires that neither the page nor a part of it scrolls sideways. */
export async function assertFits(page: Page): Promise<void> {
  const wider = await page.evaluate<string[]>(`[...document.querySelectorAll('*')]
    .filter((element) => element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX))
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.outerHTML.slice(0, 100) + ' ' + element.scrollWidth)`);
  assert.deepEqual(wider, []);
}
