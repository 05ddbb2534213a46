import { JSON_BODY_MAX_BYTES, MESSAGE_BODY_MAX_BYTES } from '@case-platform/words/limits';
import { findApiPath } from './api-path.ts';

/** The calls that carry files. */
const MESSAGES = new Set(['/api/messages', '/api/messages/{chain_id}']);

/**
 * Returns the largest body in bytes of a forwarded call; the API has the same limits (EDGE-2). Undefined for everything else,
 * because pages read no body and next-auth's endpoints read a short form.
 */
export function callBodyMaxBytes({ method, url = '' }: { method?: string; url?: string }): number | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  const pattern = findApiPath(url.split('?', 1)[0] ?? '')?.pattern;
  if (pattern === undefined) return undefined;
  return method === 'POST' && MESSAGES.has(pattern) ? MESSAGE_BODY_MAX_BYTES : JSON_BODY_MAX_BYTES;
}
