import type { ChangedByUser } from '@case-platform/modules/cases';
import type { FastifyRequest } from 'fastify';
import { changedBy } from './changed-by.ts';
import type { StaffActor } from './visitors.ts';

/** Who makes a change here, for modules that also ask what they may do. */
export function changedByStaff(request: FastifyRequest, actor: StaffActor): ChangedByUser {
  return { ...changedBy(request, actor), actor: actor.user };
}
