import type { PushOwner } from './push-owner.ts';

interface Situation {
  /** The id of the signed-in user. */
  me: number;
  /** The stored owner of this browser's notifications. */
  owner: PushOwner | null;
  /** The digest of the browser's subscription; null if it has none. */
  digest: string | null;
  /** True if the subscription was made with the current VAPID key. */
  sameKey: boolean;
  /** The API's record of the subscription for this user. */
  device: { needs_renewal: boolean } | undefined;
  /** True if another record of the same person uses the subscription too (PUSH-13). */
  isShared: boolean;
}

/**
 * The step that makes browser and API agree again:
 * - `register`: the API does not have the browser's new address yet.
 * - `renew`: the subscription is gone or was made with an old key, so a new one is needed.
 * - `note`: the subscription is right, but this browser has forgotten whose it is.
 * - `forget`: this device was removed elsewhere, but another record of the same person uses the subscription.
 * - `leave`: the subscription belongs to a person who has not signed out, or the device was removed elsewhere and must not come
 *   back by itself.
 */
export type PushStep = 'nothing' | 'register' | 'renew' | 'note' | 'forget' | 'leave';

/** Chooses the step on a visit while the browser has the permission. */
export function planPush({ me, owner, digest, sameKey, device, isShared }: Situation): PushStep {
  const leave = !isShared ? 'leave' : owner?.user_id === me ? 'forget' : 'nothing';
  // If the API has a record for this user too, the owner is another record of the same person: it takes endpoints from others.
  if (owner !== null && owner.user_id !== me && device === undefined) return leave;
  if (digest === null) return owner === null ? 'nothing' : 'renew';
  if (device !== undefined) {
    if (!sameKey || device.needs_renewal) return 'renew';
    return owner?.digest === digest && owner.user_id === me ? 'nothing' : 'note';
  }
  if (owner === null || owner.digest === digest) return leave;
  return sameKey ? 'register' : 'renew';
}
