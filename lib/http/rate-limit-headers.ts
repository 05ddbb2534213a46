import type { FastifyRequest } from 'fastify';
import type { LimitUse } from '../errors.ts';
import { noteOfRequest } from './note-of-request.ts';

const uses = noteOfRequest<LimitUse[]>('limits that it counts for');

/** Notes what a request used of a limit, for the headers of its answer. */
export function noteLimitUse(request: FastifyRequest, use: LimitUse): void {
  const list = uses.of(request);
  if (list === undefined) uses.write(request, [use]);
  else list.push(use);
}

/**
 * The headers that say what is left of each limit that a request counts for (RATE-6), as lists of structured fields (RFC 9651,
 * draft-ietf-httpapi-ratelimit-headers-10). An answer that no limit counts has none.
 */
export function rateLimitHeaders(request: FastifyRequest): Record<string, string> {
  const list = uses.of(request);
  if (list === undefined) return {};
  return {
    'ratelimit-policy': list.map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`).join(', '),
    ratelimit: list.map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`).join(', '),
  };
}
