import type { PushOwner } from './push-owner.ts';

interface Found {
  /** The person who is signed in. */
  me: number;
  /** For whom notifications were turned on in this browser, and with which address. */
  owner: PushOwner | null;
  /** Digest of the browser's own subscription; null when it has none. */
  digest: string | null;
  /** Whether that was made with the VAPID key of today. */
  sameKey: boolean;
  /** What the API keeps of it for this person. */
  device: { needs_renewal: boolean } | undefined;
  /** Whether another record of the same person has this browser's subscription too. */
  isShared: boolean;
}

/**
 * What brings browser and API back into step:
 * - `register`: the API does not know the browser's new address yet
 * - `renew`: the subscription is gone or made with an old key; a new one is needed
 * - `note`: all is well, only this browser has forgotten whose it is
 * - `forget`: this device was removed elsewhere, and what the browser has is another record's of the same person
 * - `leave`: it is another person's who has not signed out, or this device was removed elsewhere; it must not come back by itself
 */
export type PushStep = 'nothing' | 'register' | 'renew' | 'note' | 'forget' | 'leave';

/** What to do on a visit while the browser's permission stands. */
export function planPush({ me, owner, digest, sameKey, device, isShared }: Found): PushStep {
  const leave = !isShared ? 'leave' : owner?.user_id === me ? 'forget' : 'nothing';
  // Kept for me as well: the same person's other record (the API takes an endpoint away from another person).
  if (owner !== null && owner.user_id !== me && device === undefined) return leave;
  if (digest === null) return owner === null ? 'nothing' : 'renew';
  if (device !== undefined) {
    if (!sameKey || device.needs_renewal) return 'renew';
    return owner?.digest === digest && owner.user_id === me ? 'nothing' : 'note';
  }
  if (owner === null || owner.digest === digest) return leave;
  return sameKey ? 'register' : 'renew';
}
