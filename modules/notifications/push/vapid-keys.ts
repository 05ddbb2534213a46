import { createHash } from 'node:crypto';

export interface VapidPair {
  publicKey: string;
  privateKey: string;
}

export interface PushSettings extends VapidPair {
  /** The pair before the last change: devices that subscribed with it get pushes signed with it. */
  previous?: VapidPair | undefined;
  subject: string;
  allowedHosts: readonly string[];
  production: boolean;
  /** After this long a push service that does not answer is given up: ten seconds unless said otherwise. */
  giveUpAfterMs?: number;
}

/** What a VAPID public key is called on the subscriptions made with it. */
export function vapidKeyId(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('base64url').slice(0, 12);
}

/** The pair that a subscription was made with, or undefined when it is neither the present nor the previous one. */
export function findVapidPair({ publicKey, privateKey, previous }: PushSettings, keyId: string): VapidPair | undefined {
  const pairs = [{ publicKey, privateKey }, ...(previous === undefined ? [] : [previous])];
  return pairs.find((pair) => vapidKeyId(pair.publicKey) === keyId);
}
