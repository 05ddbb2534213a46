import { createHmac } from 'node:crypto';
import type { Storage } from './storage.ts';

/** The scope of a Signature Version 4: one day, one region, and the signer. */
export interface SigningScope {
  /** `20260301T235959Z` */
  time: string;
  /** `<access key id>/<day>/<region>/s3/aws4_request` */
  credential: string;
  /** The credential without the key id. */
  scope: string;
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The signing key depends only on the day, so a page of fifty attachments derives it once. */
const signingKeys = new WeakMap<Storage, { day: string; key: Buffer }>();

export function signingScope(storage: Storage, now: Date): SigningScope {
  const { accessKeyId, region } = storage.settings;
  const time = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  return { time, scope, credential: `${accessKeyId}/${scope}` };
}

export function sign(storage: Storage, { time }: SigningScope, text: string): string {
  return createHmac('sha256', signingKey(storage, time.slice(0, 8)))
    .update(text)
    .digest('hex');
}

function signingKey(storage: Storage, day: string): Buffer {
  const cached = signingKeys.get(storage);
  if (cached?.day === day) return cached.key;
  const { secretAccessKey, region } = storage.settings;
  let key = createHmac('sha256', `AWS4${secretAccessKey}`).update(day).digest();
  for (const part of [region, 's3', 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  signingKeys.set(storage, { day, key });
  return key;
}

/** The address of the bucket for browsers; the path of an object is appended to `path`. */
export function bucketAddress({ settings }: Storage): { origin: string; host: string; path: string } {
  const { protocol, host, pathname } = new URL(settings.publicEndpoint ?? settings.endpoint);
  // A store behind a gateway has its own path, which is signed with the rest.
  const above = pathname.replace(/\/+$/, '');
  if (settings.forcePathStyle) return { origin: `${protocol}//${host}`, host, path: `${above}/${settings.bucket}/` };
  const bucketHost = `${settings.bucket}.${host}`;
  return { origin: `${protocol}//${bucketHost}`, host: bucketHost, path: `${above}/` };
}

/** Encodes everything except the unreserved characters of RFC 3986 as `%XX`, which is also valid in RFC 8187 parameters. */
export function encodeUri(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
