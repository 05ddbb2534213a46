import type { ChangedByUser } from '@case-platform/modules/accounts';
import type { FastifyRequest } from 'fastify';
import type { Actor } from './visitors.ts';

/** The person who makes a change here, and where they are, for the audit log. */
export function changedBy(request: FastifyRequest, { user }: Pick<Actor, 'user'>): ChangedByUser {
  return {
    actor: user,
    origin: { layer: 'admin', ip_address: request.ip, request_id: request.id, visit_id: request.visitId },
  };
}
