import { createHash } from 'node:crypto';

export interface VapidPair {
  publicKey: string;
  privateKey: string;
}

export interface PushSettings extends VapidPair {
  /** The pair before the last rotation, for devices that subscribed with it (PUSH-12). */
  previous?: VapidPair | undefined;
  subject: string;
  allowedHosts: readonly string[];
  production: boolean;
  /** The time limit for a push service's answer; ten seconds by default. */
  giveUpAfterMs?: number;
}

/** The id of a VAPID public key, stored with the subscriptions made with it. */
export function vapidKeyId(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('base64url').slice(0, 12);
}

/** The pair that a subscription was made with, or undefined if it is neither the current nor the previous one. */
export function findVapidPair({ publicKey, privateKey, previous }: PushSettings, keyId: string): VapidPair | undefined {
  const pairs = [{ publicKey, privateKey }, ...(previous === undefined ? [] : [previous])];
  return pairs.find((pair) => vapidKeyId(pair.publicKey) === keyId);
}
