import { JSON_BODY_MAX_BYTES, MESSAGE_BODY_MAX_BYTES } from '@case-platform/words/limits';
import { findApiPath } from './api-path.ts';

/** Calls that carry files. */
const MESSAGES = new Set(['/api/messages', '/api/messages/{chain_id}']);

/**
 * The largest body in bytes of a call that is passed on to the API, which has the same limits. Undefined for everything else:
 * pages read no body, and next-auth's endpoints read a short form.
 */
export function callBodyMaxBytes({ method, url = '' }: { method?: string; url?: string }): number | undefined {
  const pattern = findApiPath(url.split('?', 1)[0] ?? '')?.pattern;
  if (pattern === undefined || method === 'GET' || method === 'HEAD') return undefined;
  return method === 'POST' && MESSAGES.has(pattern) ? MESSAGE_BODY_MAX_BYTES : JSON_BODY_MAX_BYTES;
}
