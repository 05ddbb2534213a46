import type { ChangedBy } from '@case-platform/lib/audit';
import type { FastifyRequest } from 'fastify';
import type { Actor } from './visitors.ts';

/** Who makes a change here, and from where, for the audit log. */
export function changedBy(request: FastifyRequest, { user }: Pick<Actor, 'user'>): ChangedBy {
  return {
    actor: user,
    origin: { layer: 'admin', ip_address: request.ip, request_id: request.id, visit_id: request.visitId },
  };
}
