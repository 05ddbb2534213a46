import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';

/**
 * Runs in the page before its own scripts. Records the readable and usable elements that arrive while the document is parsed, and
 * whether a part of the page is ever there twice. Placeholders for data that only the browser has are not recorded.
 */
const WATCH_MARKUP = `
  const parsed = new Set();
  const twice = new Set();
  const PARTS = 'main, header, nav, section, search, form, h1, h2, label, input, select, textarea, button, a, ul, ol, dl';
  new MutationObserver((records) => {
    if (document.readyState === 'loading') {
      for (const { addedNodes } of records) {
        for (const node of addedNodes) {
          if (!(node instanceof Element)) continue;
          for (const one of [node, ...node.querySelectorAll(PARTS)]) if (one.matches(PARTS)) parsed.add(one);
        }
      }
    }
    for (const unique of ['#main', 'h1']) {
      if (document.querySelectorAll(unique).length > 1) twice.add(unique + ' twice');
    }
  }).observe(document, { childList: true, subtree: true });
  globalThis.partsParsed = () => parsed.size;
  globalThis.markupFaults = () => [
    ...twice,
    ...[...parsed].filter((one) => !one.isConnected).map((one) => 'thrown away: ' + one.outerHTML.slice(0, 150)),
  ];`;

/** Makes all pages of this browser track the markup that the server sent. */
export async function watchMarkup(context: BrowserContext): Promise<void> {
  await context.addInitScript(`{${WATCH_MARKUP}}`);
}

/**
 * Requires that React hydrated the server's markup and rendered none of it a second time. For a page that says that something is
 * missing (`isMissing`), Next.js sends no markup, so the only part that may be discarded there is the browser's own skeleton.
 */
export async function assertMarkupKept(page: Page, { isMissing }: { isMissing: boolean }): Promise<void> {
  await page.waitForFunction(() => 'hydrated' in globalThis);
  assert.ok(isMissing || (await page.evaluate<number>('partsParsed()')) > 0, 'the server sends the page');
  const faults = await page.evaluate<string[]>('markupFaults()');
  const ofTheServer = faults.filter((fault) => !isMissing || !/^thrown away: .*aria-label="Loading"|skeleton/.test(fault));
  assert.deepEqual(ofTheServer, [], 'client renders of server markup');
}
