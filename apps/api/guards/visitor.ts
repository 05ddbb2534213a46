import type { Visitor } from '@case-platform/modules/accounts';
import type { FastifyRequest } from 'fastify';

/** The address and browser of a request. `X-Forwarded-For` counts only from trusted proxies (EDGE-5). */
export function visitorOf(request: FastifyRequest): Visitor {
  return { ip: request.ip, user_agent: request.headers['user-agent'] ?? '' };
}
