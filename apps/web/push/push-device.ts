import 'client-only';
import { apiBrowser } from '../api/api-browser.ts';
import type { Device, DeviceList } from '../api/api-shapes.ts';
import { within } from '../look/within.ts';
import { endpointDigest, isSubscribedWithKey, keyBytes } from './push-keys.ts';
import { readOwner, storeOwner } from './push-owner.ts';
import { planPush } from './push-plan.ts';
import { pushSupport, readPushEnvironment } from './push-support.ts';
import { activeWorker } from './service-worker.ts';

export const DEVICES_KEY = ['devices'] as const;

/** A browser that cannot reach its push service may never answer. */
const SUBSCRIBE_WITHIN_MS = 30_000;

/** The state of notifications in this browser. Only `off` can be turned on by a click. */
export type PushState = 'unsupported' | 'needs_home_screen' | 'denied' | 'off' | 'on';

/** Reads the state for this person without a prompt and without a call to the API. */
export async function readPushState(userId: number): Promise<PushState> {
  const support = pushSupport(readPushEnvironment());
  if (support !== 'available') return support;
  if (Notification.permission !== 'granted' || readOwner()?.user_id !== userId) return 'off';
  return (await findSubscription()) === null ? 'off' : 'on';
}

/**
 * Asks the person for permission and subscribes this browser. Call it only in response to a click, because browsers reject
 * anything else.
 * @throws {ApiError} if the API rejects the subscription, or the browser's error if its push service does not answer.
 */
export async function turnPushOn(userId: number): Promise<PushState> {
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') return permission === 'denied' ? 'denied' : 'off';
  await withPushLock(async () => {
    await renew(userId, await findVapidKey(), undefined);
  });
  return 'on';
}

/**
 * Turns notifications off in this browser only: removes the device at the API, and the browser's subscription unless another
 * record of the same person uses it too (PUSH-13).
 */
export function turnPushOff(signal?: AbortSignal): Promise<void> {
  return withPushLock(async () => {
    const subscription = await findSubscription();
    if (subscription === null) return storeOwner(null);
    let isOthers = false;
    try {
      const { device, isShared } = await findDevice(subscription, signal);
      isOthers = isShared;
      if (device !== undefined) await removeDevice(device.id, signal);
      if (device !== undefined) storeOwner(null);
    } finally {
      // If the API did not answer, the push service answers 410 to the next push, which removes the record (PUSH-6).
      if (!isOthers) await leave(subscription);
    }
  });
}

/** Repairs differences between this browser and the API. It never asks for permission, and does nothing without it. */
export async function syncPush(userId: number): Promise<void> {
  const { hasPush, permission } = readPushEnvironment();
  if (!hasPush || permission !== 'granted') return;
  await withPushLock(async () => {
    const [owner, subscription] = [readOwner(), await findSubscription()];
    if (owner === null && subscription === null) return;
    const [publicKey, { device, digest, isShared }] = await Promise.all([findVapidKey(), findDevice(subscription)]);
    const sameKey = isSubscribedWithKey(subscription?.options.applicationServerKey, publicKey);
    const step = planPush({ me: userId, owner, digest, sameKey, device, isShared });
    if (step === 'renew') await renew(userId, publicKey, device);
    if (step === 'register' && subscription !== null) await register(userId, subscription);
    if (step === 'note' && digest !== null) storeOwner({ user_id: userId, digest });
    if (step === 'forget') storeOwner(null);
    if (step === 'leave') await leave(subscription);
  });
}

/** Lists the person's devices, with this one marked as `current`. */
export async function listDevices(signal?: AbortSignal): Promise<Device[]> {
  const { devices } = await findDevice(await findSubscription(), signal);
  return devices;
}

export function removeDevice(id: number, signal?: AbortSignal): Promise<void> {
  return apiBrowser(`/api/notifications/subscriptions/${id}`, {
    method: 'DELETE',
    ...(signal === undefined ? {} : { signal }),
  });
}

async function leave(subscription: PushSubscription | null): Promise<void> {
  storeOwner(null);
  await subscription?.unsubscribe();
}

/** Removes the old record first, because at the limit of devices (PUSH-3) there is no room for another one. */
async function renew(userId: number, publicKey: string, old: Device | undefined): Promise<void> {
  const { pushManager } = await activeWorker();
  const before = await pushManager.getSubscription();
  if (before !== null && (old !== undefined || !isSubscribedWithKey(before.options.applicationServerKey, publicKey))) {
    await before.unsubscribe();
    if (old !== undefined) await removeDevice(old.id);
  }
  const subscribing = pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: keyBytes(publicKey) });
  const words = 'Your browser’s notification service isn’t responding.';
  await register(userId, await within(SUBSCRIBE_WITHIN_MS, subscribing, words));
}

async function register(userId: number, subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  try {
    await apiBrowser('/api/notifications/subscribe', { method: 'POST', body: { enabled: true, endpoint, keys } });
  } catch (error) {
    await subscription.unsubscribe();
    throw error;
  }
  storeOwner({ user_id: userId, digest: await endpointDigest(subscription.endpoint) });
}

async function findVapidKey(): Promise<string> {
  const { public_key } = await apiBrowser<{ public_key: string }>('/api/notifications/vapid-key');
  return public_key;
}

async function findSubscription(): Promise<PushSubscription | null> {
  if (!readPushEnvironment().hasPush) return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

async function findDevice(subscription: PushSubscription | null, signal?: AbortSignal) {
  const digest = subscription === null ? null : await endpointDigest(subscription.endpoint);
  const query = digest === null ? '' : `?current=${digest}`;
  const { data: devices, current_is_shared: isShared } = await apiBrowser<DeviceList>(
    `/api/notifications/subscriptions${query}`,
    signal === undefined ? {} : { signal },
  );
  return { digest, devices, isShared, device: devices.find(({ current }) => current) };
}

/** Runs in one window at a time, because two that renew at once would end each other's subscription. */
async function withPushLock(work: () => Promise<void>): Promise<void> {
  await ('locks' in navigator ? navigator.locks.request('case-platform.push', work) : work());
}
