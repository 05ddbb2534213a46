/**
 * The service worker shows pushes, opens their pages, and answers with the offline page while the servers cannot be reached. It
 * stores only that page, and never a person's page or an answer of the API.
 */

const OFFLINE_PAGE = '/offline.html';
/** Contains the first digits of the offline page's SHA-256, so that a change of the page also changes this file. */
const CACHE = 'offline-05f20d32';
const OFFLINE_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'";
const ICON = '/icon-192.png';

self.addEventListener('install', (event) => {
  // The worker contains no part of the application, so a new version can replace an old one at any time.
  self.skipWaiting();
  event.waitUntil(Promise.all([keepOfflinePage(), leaveOutOtherRequests(event)]));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([forgetOldCaches(), preloadPages(), self.clients.claim()]));
});

self.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') event.respondWith(pageOrOffline(event));
});

self.addEventListener('push', (event) => {
  event.waitUntil(showPush(readPayload(event.data)));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data?.url));
});

self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(resubscribe(event.newSubscription ?? null));
});

/** @throws {Error} if the session has ended and the sign-in page comes instead, so that the previous worker stays. */
async function keepOfflinePage() {
  const response = await fetch(OFFLINE_PAGE, { cache: 'reload' });
  if (!response.ok || response.redirected) throw new Error(`The offline page could not be read (${response.status}).`);
  const cache = await caches.open(CACHE);
  await cache.put(OFFLINE_PAGE, response);
}

/** Routes everything except navigations past this worker in browsers that support it, so that they need not start it. */
async function leaveOutOtherRequests(event) {
  try {
    await event.addRoutes?.({ condition: { not: { requestMode: 'navigate' } }, source: 'network' });
  } catch {
    // In a browser that does not accept this rule, the listener above ignores these requests.
  }
}

async function forgetOldCaches() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

/** Lets the browser request a page while this worker starts, not after it. */
async function preloadPages() {
  await self.registration.navigationPreload?.enable();
}

async function pageOrOffline(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const offlinePage = await caches.match(OFFLINE_PAGE);
    if (offlinePage === undefined) throw error;
    return offlineAnswer(await offlinePage.text());
  }
}

/** The offline page with a policy that allows only its own styles and script, by a nonce of this answer. */
function offlineAnswer(html) {
  const nonce = crypto.randomUUID();
  const policy = `${OFFLINE_POLICY}; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return new Response(html.replaceAll('nonce=""', `nonce="${nonce}"`), {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
    },
  });
}

/**
 * Reads the fields of a payload (PUSH-10), with defaults for those that are missing, because browsers withdraw the permission
 * after pushes that show nothing.
 */
function readPayload(data) {
  const payload = parse(data);
  const { title, body, icon, tag, requireInteraction, vibrate } = payload;
  return {
    title: text(title) ?? 'News for you',
    options: {
      body: text(body) ?? 'Open it to see what’s new.',
      icon: ownPath(icon) ?? ICON,
      data: { url: ownPath(payload.data?.url) ?? '/' },
      tag: text(tag) ?? '',
      requireInteraction: requireInteraction === true,
      vibrate: Array.isArray(vibrate) ? vibrate.filter(Number.isInteger) : [],
    },
  };
}

function parse(data) {
  try {
    const payload = data?.json();
    return typeof payload === 'object' && payload !== null ? payload : {};
  } catch {
    return {};
  }
}

function text(value) {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a path of this application with its query and hash, or undefined for any other address (PUSH-11). */
function ownPath(value) {
  if (typeof value !== 'string' || !value.startsWith('/') || !URL.canParse(value, self.location.origin)) return undefined;
  const { origin, pathname, search, hash } = new URL(value, self.location.origin);
  return origin === self.location.origin ? pathname + search + hash : undefined;
}

function showPush({ title, options }) {
  return self.registration.showNotification(title, options);
}

/** Focuses a window that already shows the page, or opens a new one, so that no other window loses what is being written. */
async function openPage(value) {
  const url = new URL(ownPath(value) ?? '/', self.location.origin);
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = windows.find((client) => new URL(client.url).pathname === url.pathname);
  if (open === undefined) return self.clients.openWindow(url.href);
  return open.focus();
}

/** The push service has replaced or removed the subscription. If the person is signed out, their next visit repairs it. */
async function resubscribe(newSubscription) {
  const answer = await fetch('/api/notifications/vapid-key');
  if (!answer.ok) return;
  const { public_key: applicationServerKey } = await answer.json();
  const subscription =
    newSubscription ?? (await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
  const { endpoint, keys } = subscription.toJSON();
  await fetch('/api/notifications/subscribe', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, endpoint, keys }),
  });
}
