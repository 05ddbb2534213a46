import assert from 'node:assert/strict';
import type { BrowserContext, Page, Worker } from 'playwright-core';
import { within } from '../../apps/web/look/within.ts';
import { eventually } from '../support/eventually.ts';

const WITHIN_MS = 20_000;

/** The browser's own address, the key it was made with, and how often it was made: what a push service would keep. */
const STAND_IN = `
  const KEY = 'test.push-service';
  const P256DH = 'BG-9NFA07rWa6R10tZ5-a3a0NZytAr89m4wJW_BadAYINgWZ_Sc1lMkGuQ4Yki5uJvFyMUeWqT7yBzvRVzBsAFU';
  const made = () => JSON.parse(localStorage.getItem(KEY) ?? 'null');
  const asSubscription = ({ endpoint, key }) => ({
    endpoint,
    options: { applicationServerKey: Uint8Array.from(key).buffer },
    toJSON: () => ({ endpoint, keys: { p256dh: P256DH, auth: 'k8JV6sjdbhAi1n3_LDBLvA' } }),
    unsubscribe: async () => localStorage.removeItem(KEY) ?? true,
  });
  PushManager.prototype.getSubscription = async () => (made() === null ? null : asSubscription(made()));
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    // With the same key a browser gives what it has (Push API, 7.1).
    if (made() !== null && made().key.join() === [...applicationServerKey].join()) return asSubscription(made());
    const endpoint = 'http://127.0.0.1:9/push/' + crypto.randomUUID();
    localStorage.setItem(KEY, JSON.stringify({ endpoint, key: [...applicationServerKey] }));
    return asSubscription(made());
  };
  const request = navigator.locks.request.bind(navigator.locks);
  navigator.locks.request = async (...lock) => {
    try {
      return await request(...lock);
    } finally {
      globalThis.locksGivenBack = (globalThis.locksGivenBack ?? 0) + 1;
    }
  };
`;

/** Whether it answers for the page, or begins to within some seconds after it is ready. */
const IS_CONTROLLED = `navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null ||
  new Promise((resolve) => {
    navigator.serviceWorker.addEventListener('controllerchange', () => resolve(true));
    setTimeout(() => resolve(navigator.serviceWorker.controller !== null), 5000);
  }))`;

/**
 * Waits until the service worker answers for this page, which is later than that it is ready. A page that was on its way
 * while the worker took over those that were there is not among them, and stays without it until it is loaded again.
 */
export async function untilControlled(page: Page): Promise<void> {
  if (await page.evaluate<boolean>(IS_CONTROLLED)) return;
  await page.reload();
  assert.ok(await page.evaluate<boolean>(IS_CONTROLLED), 'the service worker answers for a page that is loaded again');
}

/** Headless Chromium has no push service and would wait for ever; this stands in for it, over reloads. */
export function givePushService(context: BrowserContext): Promise<unknown> {
  return context.addInitScript(STAND_IN);
}

/** A page that was just loaded has compared this browser with the API, and has acted on it: the first to take the lock. */
export async function untilSynced(page: Page): Promise<void> {
  await eventually('the page has taken the lock', () => page.evaluate<boolean>("'locksGivenBack' in globalThis"));
}

/** Whatever the page does about its notifications is done. */
export async function untilUnlocked(page: Page): Promise<void> {
  await page.evaluate("navigator.locks.request('case-platform.push', () => {})");
}

/** As after a rotation of the VAPID key: what the browser has was made with another one. */
export function changeUsedKey(page: Page): Promise<void> {
  return page.evaluate(() => {
    const made = JSON.parse(localStorage.getItem('test.push-service') ?? '{}');
    made.key[1] ^= 1;
    localStorage.setItem('test.push-service', JSON.stringify(made));
  });
}

/** The address that the browser has now, if any. */
export function endpointOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => JSON.parse(localStorage.getItem('test.push-service') ?? '{}').endpoint);
}

/**
 * Counts in the worker what it has shown. Whoever asks Chromium what is shown while it begins to show something has it forgotten:
 * what is noted and not on the screen yet counts as gone.
 */
const COUNT_SHOWN = `if (self.shown === undefined) {
  self.shown = 0;
  const show = self.registration.showNotification.bind(self.registration);
  self.registration.showNotification = async (...notification) => {
    await show(...notification);
    self.shown += 1;
  };
}`;

/** Delivers a push to the page's service worker, as the push service would, and waits until it is shown. */
export async function deliverPush(page: Page, payload: string): Promise<void> {
  const { origin } = new URL(page.url());
  const worker = await workerOf(page.context());
  await worker.evaluate(COUNT_SHOWN);
  const devTools = await page.context().newCDPSession(page);
  const registered = Promise.withResolvers<string>();
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const found = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
    if (found !== undefined) registered.resolve(found.registrationId);
  });
  await devTools.send('ServiceWorker.enable');
  const registrationId = await within(
    WITHIN_MS,
    registered.promise,
    'The browser names no service worker of this page.',
  );
  const before = await worker.evaluate<number>('self.shown');
  await devTools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: payload });
  await eventually('the push is shown', () => worker.evaluate<boolean>(`self.shown > ${before}`));
  await devTools.detach();
}

/** What is shown by now, in the payload's own fields. */
export async function shownNotifications(page: Page): Promise<Record<string, unknown>[]> {
  return (await page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((shown) => shown.map(({ title, body, icon, data, tag, requireInteraction, vibrate }) =>
      ({ title, body, icon: new URL(icon).pathname, data, tag, requireInteraction, vibrate })))`)) as Record<
    string,
    unknown
  >[];
}

/** The paths that the browser keeps for offline, in all of its caches. */
export async function keptPaths(page: Page): Promise<string[]> {
  return (await page.evaluate(`caches.keys()
    .then((names) => Promise.all(names.map(async (name) => (await caches.open(name)).keys())))
    .then((lists) => lists.flat().map(({ url }) => new URL(url).pathname))`)) as string[];
}

/**
 * Clicks what is shown. Chromium opens windows for a finger's click only, so that the window that is there goes to the
 * page that would be opened.
 */
export async function clickNotification(context: BrowserContext): Promise<void> {
  const worker = await workerOf(context);
  const click = worker.evaluate(`(async () => {
    const [notification] = await self.registration.getNotifications();
    const [window] = await self.clients.matchAll({ type: 'window' });
    self.clients.openWindow = (url) => window.navigate(url);
    self.dispatchEvent(new NotificationEvent('notificationclick', { notification }));
  })()`);
  await within(WITHIN_MS, click, 'The service worker does not say that the notification was clicked.');
}

async function workerOf(context: BrowserContext): Promise<Worker> {
  return context.serviceWorkers()[0] ?? context.waitForEvent('serviceworker');
}
