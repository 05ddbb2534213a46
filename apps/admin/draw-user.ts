import { NotFoundError } from '@case-platform/lib/errors';
import { findUser, listSignIns } from '@case-platform/modules/accounts';
import { listCasesOf } from '@case-platform/modules/cases';
import { listDeliveries } from '@case-platform/modules/notifications';
import { listRoleNames } from '@case-platform/modules/permissions';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from './admin-server.ts';
import { readFrame } from './frame.ts';
import { type UserView, userPage } from './views/user-page.ts';
import type { StaffActor } from './visitors.ts';

const CASES_SHOWN = 10;
const SIGN_INS_SHOWN = 5;
const DELIVERIES_SHOWN = 5;

/** The page of one person. @throws {NotFoundError} for someone who does not exist. */
export async function drawUser(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { user_id, ...said }: { user_id: number } & Pick<UserView, 'done' | 'problem'>,
): Promise<string> {
  const { db } = context;
  const user = await findUser(db, user_id);
  if (user === null) throw new NotFoundError();
  const seesDeliveries = actor.admin.can('view_deliveries');
  const [cases, signIns, deliveries, roles, frame] = await Promise.all([
    listCasesOf(db, actor.user, user_id, CASES_SHOWN),
    listSignIns(db, user_id, SIGN_INS_SHOWN),
    seesDeliveries ? listDeliveries(db, { user_id, limit: DELIVERIES_SHOWN }) : undefined,
    user.user_type === 'admin' && actor.admin.can('manage_roles') ? listRoleNames(db) : [],
    readFrame(context, request, actor),
  ]);
  return userPage(frame, { user, cases, signIns, deliveries: deliveries?.data, roles, ...said });
}
