import { createHmac } from 'node:crypto';
import type { Storage } from './storage.ts';

/** What a signature of Signature Version 4 is made for: one day, one region, and who signs. */
export interface SigningScope {
  /** `20260301T235959Z` */
  time: string;
  /** `<access key id>/<day>/<region>/s3/aws4_request` */
  credential: string;
  /** The credential without the key id. */
  scope: string;
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The signing key depends on the day alone, so that a page of fifty attachments derives it once. */
const signingKeys = new WeakMap<Storage, { day: string; key: Buffer }>();

/** The scope of a signature made at `now`, to the second. */
export function signingScope(storage: Storage, now: Date): SigningScope {
  const { accessKeyId, region } = storage.settings;
  const time = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  return { time, scope, credential: `${accessKeyId}/${scope}` };
}

/** The signature, in hex. */
export function sign(storage: Storage, { time }: SigningScope, text: string): string {
  return createHmac('sha256', signingKey(storage, time.slice(0, 8)))
    .update(text)
    .digest('hex');
}

function signingKey(storage: Storage, day: string): Buffer {
  const known = signingKeys.get(storage);
  if (known?.day === day) return known.key;
  const { secretAccessKey, region } = storage.settings;
  let key = createHmac('sha256', `AWS4${secretAccessKey}`).update(day).digest();
  for (const part of [region, 's3', 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  signingKeys.set(storage, { day, key });
  return key;
}

/** Where browsers reach the bucket; `path` is what an object's path goes on from. */
export function bucketAddress({ settings }: Storage): { origin: string; host: string; path: string } {
  const { protocol, host, pathname } = new URL(settings.publicEndpoint ?? settings.endpoint);
  // A store behind a gateway has a path of its own, which is signed with the rest.
  const above = pathname.replace(/\/+$/, '');
  if (settings.forcePathStyle) return { origin: `${protocol}//${host}`, host, path: `${above}/${settings.bucket}/` };
  const bucketHost = `${settings.bucket}.${host}`;
  return { origin: `${protocol}//${bucketHost}`, host: bucketHost, path: `${above}/` };
}

/** Everything but the unreserved characters of RFC 3986 as `%XX`, which is also right for RFC 8187 parameters. */
export function encodeUri(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
