/**
 * The service worker: shows pushes, opens what they are about, and answers with one page of its own while the device is
 * offline. It keeps that page only: no page of anyone's, no answer of the API.
 */

const OFFLINE_PAGE = '/offline.html';
/** Holds the first digits of the offline page's SHA-256, so that a change of the page is a change of this file. */
const CACHE = 'offline-4aa85993';
const OFFLINE_POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'";
const ICON = '/icon-192.png';

self.addEventListener('install', (event) => {
  // It holds no part of the application: a new one may take over from an old one at any time.
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
  event.waitUntil(subscribeAnew(event.newSubscription ?? null));
});

/** @throws {Error} when the session is over and the sign-in page comes instead: the worker before this one stays. */
async function keepOfflinePage() {
  const response = await fetch(OFFLINE_PAGE, { cache: 'reload' });
  if (!response.ok || response.redirected) throw new Error(`The offline page could not be read (${response.status}).`);
  const cache = await caches.open(CACHE);
  await cache.put(OFFLINE_PAGE, response);
}

/** Where the browser can be told so, everything but a navigation goes past this worker, which need not be woken up for it. */
async function leaveOutOtherRequests(event) {
  try {
    await event.addRoutes?.({ condition: { not: { requestMode: 'navigate' } }, source: 'network' });
  } catch {
    // A browser with other rules: its requests fall through the listener above.
  }
}

async function forgetOldCaches() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

/** A page is asked for while this worker starts, not after it. */
async function preloadPages() {
  await self.registration.navigationPreload?.enable();
}

async function pageOrOffline(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const kept = await caches.match(OFFLINE_PAGE);
    if (kept === undefined) throw error;
    return offlineAnswer(await kept.text());
  }
}

/** The kept page with a policy of its own: nothing but its own styles and script, by a nonce of this answer. */
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
 * The payload's own fields (PUSH-10). Something is shown whatever came: a browser takes
 * the permission away after pushes that nobody sees.
 */
function readPayload(data) {
  const payload = parse(data);
  const { title, body, icon, tag, requireInteraction, vibrate } = payload;
  return {
    title: text(title) ?? 'Case Platform',
    options: {
      body: text(body) ?? 'There is something new for you.',
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

/** A path of this application with its query, or undefined for whatever leads elsewhere. */
function ownPath(value) {
  if (typeof value !== 'string' || !value.startsWith('/') || !URL.canParse(value, self.location.origin))
    return undefined;
  const { origin, pathname, search, hash } = new URL(value, self.location.origin);
  return origin === self.location.origin ? pathname + search + hash : undefined;
}

function showPush({ title, options }) {
  return self.registration.showNotification(title, options);
}

/** Focuses a window that shows the page already, else opens one: what is being written elsewhere stays as it is. */
async function openPage(value) {
  const url = new URL(ownPath(value) ?? '/', self.location.origin);
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = windows.find((client) => new URL(client.url).pathname === url.pathname);
  if (open === undefined) return self.clients.openWindow(url.href);
  return open.focus();
}

/** The push service gave this browser another address, or took the old one away. Signed out, the next visit sees to it. */
async function subscribeAnew(given) {
  const answer = await fetch('/api/notifications/vapid-key');
  if (!answer.ok) return;
  const { public_key: applicationServerKey } = await answer.json();
  const subscription =
    given ?? (await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
  const { endpoint, keys } = subscription.toJSON();
  await fetch('/api/notifications/subscribe', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ enabled: true, endpoint, keys }),
  });
}
