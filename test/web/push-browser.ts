import assert from 'node:assert/strict';
import type { BrowserContext, Page, Worker } from 'playwright-core';
import { within } from '../../apps/web/look/within.ts';
import { eventually } from '../support/eventually.ts';

const WITHIN_MS = 20_000;

/** Replaces the push service in a page. It stores the browser's endpoint and the key that it was created with. */
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
    // With the same key a browser returns its existing subscription (Push API, 7.1).
    if (made() !== null && made().key.join() === [...applicationServerKey].join()) return asSubscription(made());
    const endpoint = 'http://127.0.0.1:9/push/' + crypto.randomUUID();
    localStorage.setItem(KEY, JSON.stringify({ endpoint, key: [...applicationServerKey] }));
    return asSubscription(made());
  };
  // A browser without windows denies notifications.
  Object.defineProperty(Notification, 'permission', { value: 'granted' });
  Notification.requestPermission = async () => Notification.permission;
  const request = navigator.locks.request.bind(navigator.locks);
  navigator.locks.request = async (...lock) => {
    try {
      return await request(...lock);
    } finally {
      globalThis.locksGivenBack = (globalThis.locksGivenBack ?? 0) + 1;
    }
  };
`;

/** Evaluates to whether the service worker controls the page, now or within five seconds after it is ready. */
const IS_CONTROLLED = `navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null ||
  new Promise((resolve) => {
    navigator.serviceWorker.addEventListener('controllerchange', () => resolve(true));
    setTimeout(() => resolve(navigator.serviceWorker.controller !== null), 5000);
  }))`;

/**
 * Waits until the service worker controls this page, which can be after it is ready. A page that was loading when the worker
 * claimed the open pages stays uncontrolled until it is loaded again.
 */
export async function untilControlled(page: Page): Promise<void> {
  if (await page.evaluate<boolean>(IS_CONTROLLED)) return;
  await page.reload();
  assert.ok(await page.evaluate<boolean>(IS_CONTROLLED), 'the service worker controls a page that is loaded again');
}

/**
 * Gives all pages of a browser a push service that survives reloads, and the permission to notify. Headless Chromium has no such
 * service and would wait forever.
 */
export function givePushService(context: BrowserContext): Promise<unknown> {
  return context.addInitScript(STAND_IN);
}

/** Waits until a loaded page has compared this browser's subscription with the API. That is the first use of the lock. */
export async function untilSynced(page: Page): Promise<void> {
  await eventually('the page has taken the lock', () => page.evaluate<boolean>("'locksGivenBack' in globalThis"));
}

/** Waits until the page has finished its work on notifications. */
export async function untilUnlocked(page: Page): Promise<void> {
  await page.evaluate("navigator.locks.request('case-platform.push', () => {})");
}

/** Changes the key of the browser's subscription, as if the VAPID key had been rotated since. */
export function changeUsedKey(page: Page): Promise<void> {
  return page.evaluate(() => {
    const made = JSON.parse(localStorage.getItem('test.push-service') ?? '{}');
    made.key[1] ^= 1;
    localStorage.setItem('test.push-service', JSON.stringify(made));
  });
}

/** Returns the endpoint of the browser's current subscription, if it has one. */
export function endpointOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => JSON.parse(localStorage.getItem('test.push-service') ?? '{}').endpoint);
}

/**
 * Counts the notifications that the worker has shown. Asking Chromium instead would be harmful: a list that is requested while a
 * notification is about to appear makes Chromium drop that notification.
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
    const registration = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
    if (registration !== undefined) registered.resolve(registration.registrationId);
  });
  await devTools.send('ServiceWorker.enable');
  const registrationId = await within(WITHIN_MS, registered.promise, 'The browser names no service worker of this page.');
  const before = await worker.evaluate<number>('self.shown');
  await devTools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: payload });
  await eventually('the push is shown', () => worker.evaluate<boolean>(`self.shown > ${before}`));
  await devTools.detach();
}

/** Lists the notifications that are shown now, with the fields of their payloads. */
export async function shownNotifications(page: Page): Promise<Record<string, unknown>[]> {
  return (await page.evaluate(`navigator.serviceWorker.ready
    .then((registration) => registration.getNotifications())
    .then((shown) => shown.map(({ title, body, icon, data, tag, requireInteraction, vibrate }) =>
      ({ title, body, icon: new URL(icon).pathname, data, tag, requireInteraction, vibrate })))`)) as Record<string, unknown>[];
}

/** Lists the paths in all caches of the browser. */
export async function keptPaths(page: Page): Promise<string[]> {
  return (await page.evaluate(`caches.keys()
    .then((names) => Promise.all(names.map(async (name) => (await caches.open(name)).keys())))
    .then((lists) => lists.flat().map(({ url }) => new URL(url).pathname))`)) as string[];
}

/**
 * Clicks the notification. Chromium opens a window only for a real click, so the existing window navigates to the page instead.
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
