import { createHash } from 'node:crypto';
import { ALGORITHM, bucketAddress, encodeUri, sign, signingScope } from './signing.ts';
import type { Storage } from './storage.ts';

export interface DownloadUrlInput {
  key: string;
  /** The name under which the browser saves the file; any Unicode. */
  filename: string;
  contentType: string;
  /** Seconds until the URL expires; one hour by default (FILE-4). */
  expiresIn?: number;
}

export interface SignedUrl {
  url: string;
  /** ISO 8601, UTC. */
  url_expires_at: string;
}

/** Seconds for which the URL of an attachment is valid (FILE-4). */
const DOWNLOAD_URL_TTL = 3600;

/**
 * Signs a GET that the browser saves as `filename` and never shows inline. URLs are made when they are read and never stored.
 * Implements Signature Version 4 in the query, because the client's middleware costs many times as much per URL (AWS,
 * "Authenticating Requests: Using Query Parameters"). Makes no network call.
 */
export function signDownloadUrl(storage: Storage, input: DownloadUrlInput, now: Date): SignedUrl {
  const { key, filename, contentType, expiresIn = DOWNLOAD_URL_TTL } = input;
  const signing = signingScope(storage, now);
  const { origin, host, path: bucketPath } = bucketAddress(storage);
  const path = `${bucketPath}${key.split('/').map(encodeUri).join('/')}`;
  const disposition = dispositionOf(filename.toWellFormed());
  // The canonical request requires the names in byte order.
  const query =
    `X-Amz-Algorithm=${ALGORITHM}&X-Amz-Credential=${encodeUri(signing.credential)}&X-Amz-Date=${signing.time}` +
    `&X-Amz-Expires=${expiresIn}&X-Amz-SignedHeaders=host` +
    `&response-content-disposition=${encodeUri(disposition)}&response-content-type=${encodeUri(contentType)}`;
  const canonical = `GET\n${path}\n${query}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const digest = createHash('sha256').update(canonical).digest('hex');
  const signature = sign(storage, signing, `${ALGORITHM}\n${signing.time}\n${signing.scope}\n${digest}`);
  const signedAt = Math.floor(now.getTime() / 1000);
  return {
    url: `${origin}${path}?${query}&X-Amz-Signature=${signature}`,
    url_expires_at: new Date((signedAt + expiresIn) * 1000).toISOString(),
  };
}

/** Has the name twice: programs such as curl read only the ASCII one (RFC 6266, appendix D). */
function dispositionOf(filename: string): string {
  const letters = filename.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const ascii = letters.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeUri(filename)}`;
}
