import { createHash, createHmac } from 'node:crypto';
import type { Storage, StorageSettings } from './storage.ts';

export interface DownloadUrlInput {
  key: string;
  /** What the browser saves the file as; any Unicode. */
  filename: string;
  contentType: string;
  /** Seconds; attachment URLs live for one hour. */
  expiresIn?: number;
  now?: Date;
}

export interface SignedUrl {
  url: string;
  /** ISO 8601, UTC. */
  url_expires_at: string;
}

/** Seconds that the URL of an attachment is valid for (specification, Limits). */
export const DOWNLOAD_URL_TTL = 3600;

interface SigningKey {
  day: string;
  key: Buffer;
}

/** The signing key depends on the day alone, so that a page of fifty attachments derives it once. */
const signingKeys = new WeakMap<Storage, SigningKey>();

/**
 * A pre-signed GET that the browser saves under `filename`, never shows inline. Made on reading, never stored.
 * Signature Version 4 in the query, written out here because the client's middleware costs many times as much a URL
 * (AWS, "Authenticating Requests: Using Query Parameters"). No network involved.
 */
export function signDownloadUrl(storage: Storage, input: DownloadUrlInput): SignedUrl {
  const { key, filename, contentType, expiresIn = DOWNLOAD_URL_TTL, now = new Date() } = input;
  const { accessKeyId, region } = storage.settings;
  const time = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const { origin, host, path } = address(storage.settings, key);
  const disposition = `attachment; filename*=UTF-8''${encode(filename.toWellFormed())}`;
  // Names in the order of their bytes, as the canonical request demands.
  const query =
    `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encode(`${accessKeyId}/${scope}`)}&X-Amz-Date=${time}` +
    `&X-Amz-Expires=${expiresIn}&X-Amz-SignedHeaders=host` +
    `&response-content-disposition=${encode(disposition)}&response-content-type=${encode(contentType)}`;
  const canonical = `GET\n${path}\n${query}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`;
  const signature = createHmac('sha256', signingKey(storage, day)).update(toSign).digest('hex');
  const signedAt = Math.floor(now.getTime() / 1000);
  return {
    url: `${origin}${path}?${query}&X-Amz-Signature=${signature}`,
    url_expires_at: new Date((signedAt + expiresIn) * 1000).toISOString(),
  };
}

function address(settings: StorageSettings, key: string): { origin: string; host: string; path: string } {
  const { protocol, host } = new URL(settings.publicEndpoint ?? settings.endpoint);
  const object = `/${key.split('/').map(encode).join('/')}`;
  if (settings.forcePathStyle) return { origin: `${protocol}//${host}`, host, path: `/${settings.bucket}${object}` };
  const bucketHost = `${settings.bucket}.${host}`;
  return { origin: `${protocol}//${bucketHost}`, host: bucketHost, path: object };
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

/** Everything but the unreserved characters of RFC 3986 as `%XX`, which is also right for RFC 8187 parameters. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
