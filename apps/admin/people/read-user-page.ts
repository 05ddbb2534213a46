import { NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import {
  findPermissions,
  findUser,
  findWaitingAddress,
  listRoleGrants,
  listRoleNames,
  listSignIns,
} from '@case-platform/modules/accounts';
import { listAudit } from '@case-platform/modules/audit';
import { listCasesOf } from '@case-platform/modules/cases';
import { countDuties } from '@case-platform/modules/messaging';
import { listDeliveries } from '@case-platform/modules/notifications';
import { getOwnFiles } from '@case-platform/modules/storage';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import { readFrame } from '../page/frame.ts';
import { userPage } from './user-page.ts';

const CASES_SHOWN = 10;
const SIGN_INS_SHOWN = 5;
const DELIVERIES_SHOWN = 5;
const ENTRIES_SHOWN = 8;

const DONE = new Map([
  ['invited', 'The invitation is on its way.'],
  ['resent', 'The invitation is on its way again. Links in earlier emails no longer work.'],
  ['saved', 'Saved.'],
  ['asked', 'Saved. The new address counts once they open the link we sent to it.'],
  ['role', 'The role was changed and works right away.'],
  ['role-asked', 'This role can move money. It starts once another administrator confirms it.'],
  ['confirmed', 'Confirmed. The role works right away.'],
  ['refused', 'Refused. The role stays as it was.'],
  ['deactivated', 'The account was deactivated, and they were signed out everywhere.'],
  ['reactivated', 'The account was reactivated.'],
  ['two-factor', 'Two-factor sign-in is off. We’re telling them by email.'],
]);

interface Shown {
  user_id: number;
  done?: string | undefined;
  refused?: RefusedForm;
}

/** Reads the page of one person. @throws {NotFoundError} for someone who does not exist. */
export async function readUserPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { user_id, done, refused }: Shown,
): Promise<Html> {
  const { db, storage, now } = context;
  const user = await findUser(db, user_id);
  if (user === null) throw new NotFoundError();
  const { can } = actor.admin;
  const maySee = maySeeContacts(actor);
  const isAdmin = user.user_type === 'admin';
  const about = { subject_type: 'user', subject_id: user_id, limit: ENTRIES_SHOWN };
  const [cases, files, signIns, deliveries, entries, roles, grants, duties, waitingAddress, rights, frame] = await Promise.all([
    listCasesOf(db, actor.user, user_id, CASES_SHOWN),
    maySee ? getOwnFiles(db, storage, user_id, now()) : undefined,
    maySee ? listSignIns(db, user_id, SIGN_INS_SHOWN) : undefined,
    maySee && can('view_deliveries') ? listDeliveries(db, { user_id, limit: DELIVERIES_SHOWN }) : undefined,
    can('view_audit_log') ? listAudit(db, about) : undefined,
    isAdmin && can('manage_roles') ? listRoleNames(db) : [],
    isAdmin && can('manage_roles') ? listRoleGrants(db, actor.user, { user_id }) : [],
    isAdmin ? countDuties(db, user_id) : undefined,
    maySee ? findWaitingAddress(db, user_id, now()) : null,
    findPermissions(db, user_id),
    readFrame(context, request, actor),
  ]);
  const isStronger = [...rights].some((right) => !can(right));
  return userPage(frame, {
    user,
    cases,
    files,
    signIns,
    deliveries: deliveries?.data,
    entries: entries?.data,
    roles,
    grants,
    duties,
    waitingAddress,
    isStronger,
    done: DONE.get(done ?? ''),
    refused,
  });
}
