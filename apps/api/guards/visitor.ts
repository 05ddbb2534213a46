import type { Visitor } from '@case-platform/modules/accounts';
import type { FastifyRequest } from 'fastify';

/** The address and browser of a request. `X-Forwarded-For` counts only from trusted proxies (EDGE-5). */
export function visitorOf(request: FastifyRequest): Visitor {
  const { 'user-agent': user_agent = '', 'accept-language': accept_language } = request.headers;
  return { ip: request.ip, user_agent, accept_language };
}
