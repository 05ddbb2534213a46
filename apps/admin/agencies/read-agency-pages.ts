import { NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { findAgency, listAgencies, listAgencyKeys, listAgencyPeople } from '@case-platform/modules/accounts';
import { listEventsOfAgency } from '@case-platform/modules/cases';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { agencyListPage } from './agency-list.ts';
import { agencyPage } from './agency-page.ts';

const DONE = new Map([
  ['revoked', 'The key was revoked and no longer works.'],
  ['created', 'The agency was added. Issue a key to connect its systems.'],
  ['renamed', 'The agency was renamed.'],
]);

/** Reads the list, from the agency after `after` on. */
export async function readAgencyListPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { after, refused }: { after?: number; refused?: RefusedForm },
): Promise<Html> {
  const [frame, page] = await Promise.all([
    readFrame(context, request, actor),
    listAgencies(context.db, after === undefined ? {} : { after }),
  ]);
  return agencyListPage(frame, { ...page, after, refused });
}

interface Shown {
  agency_id: number;
  /** A key that was just issued. */
  issued?: { id: number; key: string };
  done?: string | undefined;
  refused?: RefusedForm;
}

/** Reads the page of one agency. @throws {NotFoundError} for an agency that does not exist. */
export async function readAgencyPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { agency_id, issued, done, refused }: Shown,
): Promise<Html> {
  const { db } = context;
  const agency = await findAgency(db, agency_id);
  if (agency === null) throw new NotFoundError();
  const [keys, people, events, frame] = await Promise.all([
    listAgencyKeys(db, agency_id),
    listAgencyPeople(db, agency_id),
    actor.admin.can('view_agencies') ? listEventsOfAgency(db, actor.user, agency_id) : [],
    readFrame(context, request, actor),
  ]);
  return agencyPage(frame, { agency, keys, people, events, issued, done: DONE.get(done ?? ''), refused });
}
