import 'client-only';
import { within } from '../look/within.ts';

const READY_WITHIN_MS = 20_000;

/** Registers the service worker without a prompt. The browser looks for a newer version with each page. */
export async function registerServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  await navigator.serviceWorker.register('/sw.js', { scope: '/', updateViaCache: 'none' });
}

/**
 * Returns the service worker once it is active.
 * @throws {Error} if it does not become active in time; `ready` itself would wait forever.
 */
export async function activeWorker(): Promise<ServiceWorkerRegistration> {
  await registerServiceWorker();
  return within(READY_WITHIN_MS, navigator.serviceWorker.ready, 'We couldn’t prepare this page for notifications.');
}

/** Closes the notifications that are still shown, because they are for the person who has just signed out. */
export async function closeNotifications(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  for (const notification of (await registration?.getNotifications()) ?? []) notification.close();
}
