import { after, afterEach, beforeEach, type TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { within } from '../../apps/web/look/within.ts';
import { BROWSER_FLAGS } from '../../scripts/test/browser-flags.mjs';
import { afterFiles, inEachFile } from '../../scripts/test/file-suite.mjs';

/** Long enough for a busy machine with two cores. A working page answers in a fraction of it. */
const WITHIN_MS = 20_000;
/** Enough for a whole page with its scripts and fonts, the first one in a browser that was just started. */
const PAGE_WITHIN_MS = 60_000;

let launched: Promise<Browser> | undefined;

/** The machine's Chromium, headless, started once for each test process. `npm test` finds it and sets its path. */
function launch(): Promise<Browser> {
  const executablePath = process.env.HEADLESS_SHELL_PATH ?? process.env.CHROMIUM_PATH;
  if (executablePath === undefined) throw new Error('CHROMIUM_PATH is not set: run the tests by `npm test -- FILE`.');
  launched ??= chromium.launch({ executablePath, args: BROWSER_FLAGS });
  return launched;
}
afterFiles(async () => (await launched)?.close());

/** Pages that a test has visited. */
const visited = new Set<Page>();
inEachFile(() => {
  beforeEach(() => visited.clear());
  afterEach((context) => reportVisiblePages(context as TestContext));
  // The next file on the same browser starts without open pages.
  after(async () => {
    for (const context of (await launched)?.contexts() ?? []) await context.close();
  });
});

/** Prints what a person would have seen when a test failed. */
async function reportVisiblePages(test: TestContext): Promise<void> {
  if (test.passed) return;
  for (const page of visited) {
    const words = await page
      .locator('body')
      .innerText({ timeout: 1000 })
      .catch((error: Error) => error.message);
    test.diagnostic(`${page.url()} shows: ${words.replaceAll(/\s+/g, ' ').slice(0, 800)}`);
  }
}

/** Opens a browser of one person, which shares nothing with others. */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await launch()).newContext({ reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(WITHIN_MS);
  context.setDefaultNavigationTimeout(PAGE_WITHIN_MS);
  return context;
}

/**
 * Opens a browser with a profile on disk, which is removed when it is closed. The other browsers are private windows, which show
 * no notifications.
 */
export async function openProfile(): Promise<BrowserContext> {
  const executablePath = process.env.CHROMIUM_PATH;
  if (executablePath === undefined) throw new Error('CHROMIUM_PATH is not set: run the tests by `npm test -- FILE`.');
  const context = await chromium.launchPersistentContext('', { executablePath, args: BROWSER_FLAGS });
  after(() => context.close());
  context.setDefaultTimeout(WITHIN_MS);
  context.setDefaultNavigationTimeout(PAGE_WITHIN_MS);
  return context;
}

/** Opens a page in its own window. Behind another page, Chromium draws once a second, and each click waits for that. */
async function openWindow(context: BrowserContext): Promise<Page> {
  const browser = context.browser();
  const [other] = context.pages();
  if (browser === null || other === undefined) return context.newPage();
  const [ofOther, ofBrowser] = [await context.newCDPSession(other), await browser.newBrowserCDPSession()];
  const { browserContextId = '' } = (await ofOther.send('Target.getTargetInfo')).targetInfo;
  const opened = context.waitForEvent('page');
  await ofBrowser.send('Target.createTarget', { url: 'about:blank', newWindow: true, browserContextId });
  await Promise.all([ofOther.detach(), ofBrowser.detach()]);
  return opened;
}

/** Records when a page of the web frontend was hydrated (shell/hydrated.tsx), for checks that come later. */
const NOTE_REST = "addEventListener('hydrated', () => { globalThis.isAtRest = true; });";

/**
 * The reader's device saves data. Otherwise each page that is loaded would prefetch five others, which costs more than the page.
 * Their prefetching is tested in pages.test.ts.
 */
const SAVE_DATA = 'Object.defineProperty(navigator.connection, "saveData", { configurable: true, value: true });';

/**
 * Opens a page that collects its script errors and console errors in `faults`. Evaluating a script in it has a time limit,
 * because a promise that never settles would otherwise wait forever.
 */
export async function openPage(context: BrowserContext): Promise<Page & { faults: string[] }> {
  const page = await openWindow(context);
  const evaluate = page.evaluate.bind(page) as (script: unknown, argument?: unknown) => Promise<unknown>;
  const evaluateWithin = (script: unknown, argument?: unknown) =>
    within(PAGE_WITHIN_MS, evaluate(script, argument), `It never settled in ${page.url()}: ${String(script).slice(0, 200)}`);
  await page.addInitScript(NOTE_REST + SAVE_DATA);
  page.on('framenavigated', () => visited.add(page));
  page.on('close', () => visited.delete(page));
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} at ${message.location().url}`);
  });
  return Object.assign(page, { faults, evaluate: evaluateWithin as Page['evaluate'] });
}
