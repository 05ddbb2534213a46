import type { StaffChange } from '@case-platform/modules/accounts';
import type { FastifyRequest } from 'fastify';
import type { AdminContext } from '../context.ts';
import { changedBy } from '../guards/changed-by.ts';
import type { StaffActor } from '../guards/visitors.ts';

/** The person who changes a record, where and when they do it, and whether they manage roles. */
export function staffChange(
  { config, now = () => new Date() }: AdminContext,
  request: FastifyRequest,
  actor: StaffActor,
): StaffChange {
  return {
    ...changedBy(request, actor),
    actor: actor.user,
    manages_roles: actor.admin.can('manage_roles'),
    now: now(),
    urls: config,
  };
}
