import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { findBrowser } from '../scripts/test/browser.mjs';
import { BROWSER_FLAGS } from '../scripts/test/browser-flags.mjs';
import { freePorts } from '../scripts/test/free-ports.mjs';
import { measurePassOn, type PassOnFigures } from './measure-pass-on.ts';
import type { Process } from './processes.ts';
import { BENCH_PASSWORD, BENCH_USERS } from './scenarios.ts';

/** One page on a phone, as Chromium's own performance entries tell: medians of several first visits. */
interface PageFigures {
  label: string;
  lcp_ms: number;
  cls: number;
  /** JavaScript as it came over the network, compressed. */
  js_bytes: number;
}

/** From a touch or a key to the next paint. */
interface Interaction {
  name: string;
  inp_ms: number;
}

export interface WebFigures {
  pages: PageFigures[];
  /** The slowest interaction of a visit to the chain and the inbox: the visit in the middle of several. */
  slowest: Interaction;
  pass_on: PassOnFigures;
}

/** How many times slower than this machine a phone is taken to be. */
export const SLOWED = 4;
export const WEB_TARGETS = { lcp_ms: 1000, cls: 0.05, js_bytes: 180 * 1024, inp_ms: 100, pass_on_ms: 2.5 };

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
/** For what comes late: shifts of the layout, and what the page fetches once it is idle. */
const SETTLED_MS = 1000;
/** Between two interactions, and between two keys: what a person needs at least. */
const BETWEEN_MS = 300;
const KEYS_MS = 60;

interface Measured {
  api: Process;
  start: (address: Record<string, string>) => Promise<Process>;
  chainId: number;
  visits: number;
}

/** Measures the web frontend's pages in a browser, and what it adds to a call that it passes on. */
export async function measureWeb({ api, start, chainId, visits }: Measured): Promise<WebFigures> {
  const [port = 0] = await freePorts(1);
  const url = `http://localhost:${port}`;
  const web = await start({ WEB_PORT: String(port), WEB_URL: url });
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: BROWSER_FLAGS });
  try {
    const context = await signedIn(browser, url);
    const pages = [
      await measurePage(context, { label: 'inbox', url: `${url}/messages`, visits }),
      await measurePage(context, { label: 'chain', url: `${url}/messages/${chainId}`, visits }),
    ];
    const slowest = await measureInteractions(context, `${url}/messages/${chainId}`, Math.ceil(visits / 2));
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    return { pages, slowest, pass_on: await measurePassOn(api.baseUrl ?? '', url, cookie) };
  } finally {
    await browser.close();
    await web.stop();
  }
}

async function signedIn(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  const { email_address, user_type } = BENCH_USERS.parent;
  await page.goto(`${url}/login?callbackUrl=%2Fmessages`);
  await page.getByLabel('I am').selectOption(user_type);
  await page.getByLabel('Email address').fill(email_address);
  await page.getByLabel('Password', { exact: true }).fill(BENCH_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/messages`);
  await page.close();
  return context;
}

interface Visited {
  label: string;
  url: string;
  visits: number;
}

async function measurePage(context: BrowserContext, { label, url, visits }: Visited): Promise<PageFigures> {
  await (await slowPage(context, url)).close();
  const figures: Omit<PageFigures, 'label'>[] = [];
  for (let visit = 0; visit < visits; visit++) {
    const page = await slowPage(context, url);
    figures.push(await page.evaluate<Omit<PageFigures, 'label'>>(READ_ENTRIES));
    await page.close();
  }
  const of = (name: keyof Omit<PageFigures, 'label'>) => median(figures.map((one) => one[name]));
  return { label, lcp_ms: of('lcp_ms'), cls: of('cls'), js_bytes: of('js_bytes') };
}

/** A first visit: nothing in the browser's cache, the processor slowed. */
async function slowPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  await page.addInitScript(KEEP_ENTRIES);
  await page.goto(url, { waitUntil: 'load' });
  // The number of a visit is made with the page's first call, so its scripts run.
  await page.waitForFunction(() => sessionStorage.getItem('case-platform.visit') !== null);
  await page.evaluate(UNTIL_IDLE);
  await page.waitForTimeout(SETTLED_MS);
  return page;
}

/** Runs in the page: what puts the service worker in place waits for the same. */
const UNTIL_IDLE = 'new Promise((resolve) => requestIdleCallback(() => resolve(), { timeout: 6000 }))';

/** Runs in the page, before its own scripts. */
const KEEP_ENTRIES = `
  const kept = (globalThis.kept = { lcp_ms: 0, cls: 0, inp_ms: 0 });
  const watch = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, durationThreshold: 16 });
  watch('largest-contentful-paint', ({ startTime }) => (kept.lcp_ms = startTime));
  watch('layout-shift', ({ value, hadRecentInput }) => (kept.cls += hadRecentInput ? 0 : value));
  watch('event', ({ interactionId, duration }) => (kept.inp_ms = Math.max(kept.inp_ms, interactionId > 0 ? duration : 0)));`;

/** Runs in the page, at the end. */
const READ_ENTRIES = `({
  lcp_ms: kept.lcp_ms,
  cls: kept.cls,
  js_bytes: performance
    .getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
})`;

async function measureInteractions(context: BrowserContext, url: string, visits: number): Promise<Interaction> {
  const slowest: Interaction[] = [];
  for (let visit = 0; visit < visits; visit++) slowest.push(await slowestOf(context, url));
  slowest.sort((a, b) => a.inp_ms - b.inp_ms);
  return slowest[Math.floor(slowest.length / 2)] ?? { name: 'none', inp_ms: 0 };
}

/** Writes a few words, goes back to the list, filters it and opens a chain, as a finger does: nothing hovers before it. */
async function slowestOf(context: BrowserContext, url: string): Promise<Interaction> {
  const page = await slowPage(context, url);
  const steps: [string, () => Promise<unknown>][] = [
    ['into the composer', () => tap(page, page.getByPlaceholder('Write a message'))],
    ['a key', () => page.keyboard.type('Thank you for the receipts.', { delay: KEYS_MS })],
    ['back to the list', () => tap(page, page.getByRole('link', { name: 'Back to all messages' }))],
    ['the unread ones', () => tap(page, page.getByRole('button', { name: 'Unread', exact: true }))],
    ['all of them', () => tap(page, page.getByRole('button', { name: 'All', exact: true }))],
    ['a chain', () => tap(page, page.locator('a.list-row').first())],
  ];
  const measured: Interaction[] = [];
  for (const [name, act] of steps) {
    await page.evaluate('kept.inp_ms = 0');
    await act();
    await page.waitForTimeout(BETWEEN_MS);
    measured.push({ name, inp_ms: await page.evaluate<number>('kept.inp_ms') });
  }
  await page.waitForURL(/\/messages\/\d+/);
  await page.close();
  return measured.reduce((slow, one) => (one.inp_ms > slow.inp_ms ? one : slow));
}

/** Playwright's own click asks the page where things are while the event is under way, which counts as the page's work. */
async function tap(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  await page.waitForTimeout(BETWEEN_MS);
  const box = await target.boundingBox();
  if (box === null) throw new Error('there is nothing to tap');
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
