import type { Visitor } from '@case-platform/modules/accounts';
import type { FastifyRequest } from 'fastify';

/** Where a request comes from. `X-Forwarded-For` counts only from the proxies of TRUST_PROXY. */
export function visitorOf(request: FastifyRequest): Visitor {
  return { ip: request.ip, user_agent: request.headers['user-agent'] ?? '' };
}
