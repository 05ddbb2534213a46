import type { ChangedBy } from '@case-platform/lib/audit';
import type { User } from '@case-platform/modules/accounts';
import type { FastifyRequest } from 'fastify';

/** The actor and origin of a change, for the audit log. The actor is null if no one is signed in. */
export function changedBy<Actor extends User | null>(request: FastifyRequest, actor: Actor): ChangedBy & { actor: Actor } {
  return {
    actor,
    origin: { layer: 'api', ip_address: request.ip, request_id: request.id, visit_id: request.visitId },
  };
}
