import { after, afterEach, beforeEach, type TestContext } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { within } from '../../apps/web/look/within.ts';
import { BROWSER_FLAGS } from '../../scripts/test/browser-flags.mjs';
import { afterFiles, inEachFile } from '../../scripts/test/file-suite.mjs';

/** Long enough for a busy machine with two cores; a page that works answers in a fraction of it. */
const WITHIN_MS = 20_000;
/** A whole page with its scripts and fonts, for the first time in a browser that has just been started. */
const PAGE_WITHIN_MS = 60_000;

let launched: Promise<Browser> | undefined;

/** The machine's Chromium, headless, started once a test process. `npm test` finds it and says where it is. */
function launch(): Promise<Browser> {
  const executablePath = process.env.HEADLESS_SHELL_PATH ?? process.env.CHROMIUM_PATH;
  if (executablePath === undefined) throw new Error('CHROMIUM_PATH is not set: run the tests by `npm test -- FILE`.');
  launched ??= chromium.launch({ executablePath, args: BROWSER_FLAGS });
  return launched;
}
afterFiles(async () => (await launched)?.close());

/** Those that a test has gone somewhere with. */
const visited = new Set<Page>();
inEachFile(() => {
  beforeEach(() => visited.clear());
  afterEach((context) => tellWhatWasSeen(context as TestContext));
  // The next file on the same browser begins with none.
  after(async () => {
    for (const context of (await launched)?.contexts() ?? []) await context.close();
  });
});

/** What a person would have seen when a test failed, for whoever reads the log of a build. */
async function tellWhatWasSeen(test: TestContext): Promise<void> {
  if (test.passed) return;
  for (const page of visited) {
    const words = await page
      .locator('body')
      .innerText({ timeout: 1000 })
      .catch((error: Error) => error.message);
    test.diagnostic(`${page.url()} shows: ${words.replaceAll(/\s+/g, ' ').slice(0, 800)}`);
  }
}

/** A person's own browser: nothing is shared with another's. What goes wrong in its pages fails the test. */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await (await launch()).newContext(options);
  context.setDefaultTimeout(WITHIN_MS);
  context.setDefaultNavigationTimeout(PAGE_WITHIN_MS);
  return context;
}

/** A browser with a profile on disk, gone when it is closed: a private window, which the others are, shows no notification. */
export async function openProfile(): Promise<BrowserContext> {
  const executablePath = process.env.CHROMIUM_PATH;
  if (executablePath === undefined) throw new Error('CHROMIUM_PATH is not set: run the tests by `npm test -- FILE`.');
  const context = await chromium.launchPersistentContext('', { executablePath, args: BROWSER_FLAGS });
  after(() => context.close());
  context.setDefaultTimeout(WITHIN_MS);
  context.setDefaultNavigationTimeout(PAGE_WITHIN_MS);
  return context;
}

/** A page in a window of its own: behind another one, Chromium draws once a second, and each click waits for that. */
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

/** Notes when a page of the web frontend comes to rest (shell/hydrated.tsx), for whoever looks later. */
const NOTE_REST = "addEventListener('hydrated', () => { globalThis.isAtRest = true; });";

/**
 * A page that collects its script errors and console errors in `faults`, and in which nothing is evaluated for ever: what
 * never settles in a page has no end of its own.
 */
export async function openPage(context: BrowserContext): Promise<Page & { faults: string[] }> {
  const page = await openWindow(context);
  const evaluate = page.evaluate.bind(page) as (script: unknown, argument?: unknown) => Promise<unknown>;
  const evaluateWithin = (script: unknown, argument?: unknown) =>
    within(
      PAGE_WITHIN_MS,
      evaluate(script, argument),
      `It never settled in ${page.url()}: ${String(script).slice(0, 200)}`,
    );
  await page.addInitScript(NOTE_REST);
  page.on('framenavigated', () => visited.add(page));
  page.on('close', () => visited.delete(page));
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} at ${message.location().url}`);
  });
  return Object.assign(page, { faults, evaluate: evaluateWithin as Page['evaluate'] });
}
